package io.fjordmq.broker.accounts;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Records every change that is requested through the API. Thread-safe; nothing blocks. */
public interface AuditLog {

  /** Adds a record. */
  void record(AuditRecord done);

  /**
   * Returns the newest matching records, newest first.
   *
   * @param cursor {@link Page#next} of the page before; null for the first page
   * @param limit maximum number of records, at least 1
   */
  Page page(@Nullable Long cursor, int limit, Predicate<AuditRecord> filter);

  /**
   * Some records.
   *
   * @param numbers the number of each record, which is a cursor for the records before it
   * @param next the cursor of the next page; null if there are no older matching records in memory
   */
  record Page(List<AuditRecord> records, List<Long> numbers, @Nullable Long next) {}
}
