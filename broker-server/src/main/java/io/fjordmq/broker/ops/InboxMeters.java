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
  /** The reasons for which the inbox store drops messages. */
  static final List<String> DROP_REASONS =
      List.of(DropReasons.INBOX_FULL, DropReasons.EXPIRED, DropReasons.SESSION_ENDED);

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
    insert = meters.timer(StoreMetric.INBOX_INSERT);
    outcomes =
        meters.counters(
            StoreMetric.INBOX_OUTCOMES,
            InsertOutcome.class,
            o -> o.name().toLowerCase(Locale.ROOT));
    fetch = meters.timer(StoreMetric.INBOX_FETCH);
    fetched = meters.counter(StoreMetric.INBOX_FETCHED);
    commit = meters.timer(StoreMetric.INBOX_COMMIT);
    retried = meters.counter(StoreMetric.INBOX_RETRIES);
    expired = meters.counter(StoreMetric.INBOXES_EXPIRED);
    swept = meters.timer(StoreMetric.INBOX_SWEEP, "done");
    sweepFailed = meters.timer(StoreMetric.INBOX_SWEEP, "failed");
    for (String reason : DROP_REASONS) {
      dropped.put(reason, newDropped(reason));
    }
  }

  private LongAdder newDropped(String reason) {
    return meters.counter(ClientMetric.MESSAGES_DROPPED, "inbox", reason);
  }

  @Override
  public void onInserted(int targets, long nanos) {
    insert.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void onOutcome(InsertOutcome outcome, long count) {
    Objects.requireNonNull(outcomes.get(outcome)).add(count);
  }

  @Override
  public void onFetched(int entries, long nanos) {
    fetch.record(nanos, TimeUnit.NANOSECONDS);
    fetched.add(entries);
  }

  @Override
  public void onCommitted(int inboxes, long nanos) {
    commit.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void onBusyRetry() {
    retried.increment();
  }

  @Override
  public void onDropped(String reason, long count) {
    dropped.computeIfAbsent(reason, this::newDropped).add(count);
  }

  /** The number of messages dropped after they were stored. */
  long droppedCopies() {
    return dropped.values().stream().mapToLong(LongAdder::sum).sum();
  }

  @Override
  public void onExpired() {
    expired.increment();
  }

  /** The number of sessions that have expired so far. */
  long expiredSessions() {
    return expired.sum();
  }

  @Override
  public void onSweep(int ranges, long nanos, boolean succeeded) {
    (succeeded ? swept : sweepFailed).record(nanos, TimeUnit.NANOSECONDS);
  }
}
