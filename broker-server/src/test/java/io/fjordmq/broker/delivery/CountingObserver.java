package io.fjordmq.broker.delivery;

import io.fjordmq.broker.dispatch.CopyDropReason;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the events of the delivery components. */
public final class CountingObserver implements DeliveryObserver {
  private final Map<String, Long> drops = new ConcurrentHashMap<>();
  public final LongAdder delivered = new LongAdder();
  final LongAdder stored = new LongAdder();
  public final LongAdder delayedAcknowledgements = new LongAdder();
  public final LongAdder routeFailures = new LongAdder();
  final LongAdder redistributed = new LongAdder();
  final LongAdder evictedPublishers = new LongAdder();

  @Override
  public void onDelivered(long copies) {
    delivered.add(copies);
  }

  @Override
  public void onStored(long copies) {
    stored.add(copies);
  }

  @Override
  public void onDropped(String reason, long copies) {
    drops.merge(reason, copies, Long::sum);
  }

  @Override
  public void onAcknowledgementDelayed() {
    delayedAcknowledgements.increment();
  }

  @Override
  public void onRouteFailed() {
    routeFailures.increment();
  }

  @Override
  public void onRedistributed(long messages) {
    redistributed.add(messages);
  }

  @Override
  public void onPublisherEvicted() {
    evictedPublishers.increment();
  }

  public long onDropped(CopyDropReason reason) {
    return drops.getOrDefault(reason.label(), 0L);
  }

  public Map<String, Long> drops() {
    return Map.copyOf(drops);
  }
}
