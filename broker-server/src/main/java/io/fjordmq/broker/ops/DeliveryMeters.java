package io.fjordmq.broker.ops;

import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.dispatch.CopyDropReason;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of delivery. */
final class DeliveryMeters implements DeliveryObserver {
  private final Meters meters;
  private final LongAdder live;
  private final LongAdder stored;
  private final Map<PublishOutcome, LongAdder> outcomes;
  private final LongAdder delayed;
  private final LongAdder routesFailed;
  private final LongAdder redistributed;
  private final LongAdder evicted;
  private final LongAdder retainedReadsEarly;

  /** The drop counters by reason. Delivery uses few reasons, so the map stays small. */
  private final Map<String, LongAdder> dropped = new ConcurrentHashMap<>();

  DeliveryMeters(Meters meters) {
    this.meters = meters;
    live = meters.counter(DeliveryMetric.DELIVERIES_LIVE);
    stored = meters.counter(DeliveryMetric.DELIVERIES_STORED);
    outcomes =
        meters.counters(
            DeliveryMetric.PUBLISHES, PublishOutcome.class, o -> o.name().toLowerCase(Locale.ROOT));
    delayed = meters.counter(DeliveryMetric.PUBLISHES_SLOWED);
    routesFailed = meters.counter(DeliveryMetric.ROUTE_CHANGES_FAILED);
    redistributed = meters.counter(DeliveryMetric.SHARES_REDISTRIBUTED);
    evicted = meters.counter(DeliveryMetric.REPEATING_PUBLISHERS_FORGOTTEN);
    retainedReadsEarly = meters.counter(DeliveryMetric.RETAINED_READS_EARLY);
    for (CopyDropReason reason : CopyDropReason.values()) {
      dropped.put(reason.label(), newDropped(reason.label()));
    }
  }

  private LongAdder newDropped(String reason) {
    return meters.counter(ClientMetric.MESSAGES_DROPPED, "delivery", reason);
  }

  /** The number of copies that did not reach their receiver. */
  long droppedCopies() {
    return dropped.values().stream().mapToLong(LongAdder::sum).sum();
  }

  @Override
  public void onDelivered(long copies) {
    live.add(copies);
  }

  @Override
  public void onStored(long copies) {
    stored.add(copies);
  }

  @Override
  public void onDropped(String reason, long copies) {
    dropped.computeIfAbsent(reason, this::newDropped).add(copies);
  }

  @Override
  public void onPublished(PublishOutcome outcome) {
    Objects.requireNonNull(outcomes.get(outcome)).increment();
  }

  @Override
  public void onAcknowledgementDelayed() {
    delayed.increment();
  }

  @Override
  public void onRouteFailed() {
    routesFailed.increment();
  }

  @Override
  public void onRedistributed(long messages) {
    redistributed.add(messages);
  }

  @Override
  public void onRetainedReadEarly(long subscriptions) {
    retainedReadsEarly.add(subscriptions);
  }

  @Override
  public void onPublisherEvicted() {
    evicted.increment();
  }
}
