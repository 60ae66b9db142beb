package io.fjordmq.broker.accounts;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the latest records in memory and writes each to the log, with the logger {@code
 * io.fjordmq.audit}. Older records are only in the log files.
 */
final class RecentAuditLog implements AuditLog {
  private static final Logger LOG = LoggerFactory.getLogger("io.fjordmq.audit");

  private final @Nullable AuditRecord[] ring;

  // Records are numbered from 0; the ring holds the latest ones.
  private long count;

  RecentAuditLog(int capacity) {
    ring = new AuditRecord[capacity];
  }

  @Override
  public void record(AuditRecord done) {
    synchronized (ring) {
      ring[(int) (count % ring.length)] = done;
      count++;
    }
    Caller caller = done.caller();
    LOG.info(
        "API change {} operation={} status={} caller={} kind={} address={} target={}",
        done.isSuccess() ? "made" : "refused",
        done.operation(),
        done.status(),
        caller == null ? "" : AuditRecord.printable(caller.name()),
        caller == null ? "" : caller.kind(),
        done.address(),
        done.target()); // last, because it may contain spaces
  }

  @Override
  public Page page(@Nullable Long cursor, int limit, Predicate<AuditRecord> filter) {
    List<AuditRecord> found = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    synchronized (ring) {
      long oldest = Math.max(0, count - ring.length);
      long next = cursor == null ? count : Math.min(cursor, count);
      while (next > oldest) {
        AuditRecord older = ring[(int) ((next - 1) % ring.length)];
        if (older != null && filter.test(older)) {
          if (found.size() == limit) {
            return new Page(found, numbers, next);
          }
          found.add(older);
          numbers.add(next - 1);
        }
        next--;
      }
      return new Page(found, numbers, null);
    }
  }
}
