package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.accounts.AuditRecord;
import io.fjordmq.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Keeps all audit records. */
final class TestAudit implements AuditLog {
  final List<AuditRecord> records = new CopyOnWriteArrayList<>();

  /** Waits for the first record. */
  void awaitRecord() {
    Await.until("an audit record", 60, () -> !records.isEmpty());
  }

  @Override
  public void record(AuditRecord done) {
    records.add(done);
  }

  @Override
  public Page page(@Nullable Long cursor, int limit, Predicate<AuditRecord> filter) {
    throw new UnsupportedOperationException("tests read the field records instead");
  }
}
