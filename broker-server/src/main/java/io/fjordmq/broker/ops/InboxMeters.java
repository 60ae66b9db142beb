package io.fjordmq.broker.ops;

import io.fjordmq.inbox.DropReasons;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of the inbox store. */
final class InboxMeters implements InboxObserver {
  private final Meters meters;
  private final Timer insert;
  private final Map<InsertOutcome, LongAdder> outcomes;
  private final Timer fetch;
  private final LongAdder fetched;
  private final Timer commit;
  private final LongAdder retried;
  private final LongAdder expired;
  private final Timer swept;
  private final Timer sweepFailed;
  private final Map<String, LongAdder> dropped = new ConcurrentHashMap<>();

  InboxMeters(Meters meters) {
    this.meters = meters;
    insert = meters.timer(Metric.INBOX_INSERT);
    outcomes =
        meters.counters(
            Metric.INBOX_OUTCOMES, InsertOutcome.class, o -> o.name().toLowerCase(Locale.ROOT));
    fetch = meters.timer(Metric.INBOX_FETCH);
    fetched = meters.counter(Metric.INBOX_FETCHED);
    commit = meters.timer(Metric.INBOX_COMMIT);
    retried = meters.counter(Metric.INBOX_RETRIES);
    expired = meters.counter(Metric.INBOXES_EXPIRED);
    swept = meters.timer(Metric.INBOX_SWEEP, "done");
    sweepFailed = meters.timer(Metric.INBOX_SWEEP, "failed");
    for (String reason :
        List.of(DropReasons.INBOX_FULL, DropReasons.EXPIRED, DropReasons.SESSION_ENDED)) {
      dropped.put(reason, newDropped(reason));
    }
  }

  private LongAdder newDropped(String reason) {
    return meters.counter(Metric.MESSAGES_DROPPED, "inbox", reason);
  }

  @Override
  public void inserted(int targets, long nanos) {
    insert.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void outcome(InsertOutcome outcome, long count) {
    Objects.requireNonNull(outcomes.get(outcome)).add(count);
  }

  @Override
  public void fetched(int entries, long nanos) {
    fetch.record(nanos, TimeUnit.NANOSECONDS);
    fetched.add(entries);
  }

  @Override
  public void committed(int inboxes, long nanos) {
    commit.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void retriedBusy() {
    retried.increment();
  }

  @Override
  public void dropped(String reason, long count) {
    dropped.computeIfAbsent(reason, this::newDropped).add(count);
  }

  /** Messages dropped after they were stored. */
  long droppedCopies() {
    return dropped.values().stream().mapToLong(LongAdder::sum).sum();
  }

  @Override
  public void expired() {
    expired.increment();
  }

  /** Sessions that have expired so far. */
  long expiredSessions() {
    return expired.sum();
  }

  @Override
  public void swept(int ranges, long nanos, boolean succeeded) {
    (succeeded ? swept : sweepFailed).record(nanos, TimeUnit.NANOSECONDS);
  }
}
