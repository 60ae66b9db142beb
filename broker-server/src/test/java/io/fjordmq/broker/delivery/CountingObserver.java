package io.fjordmq.broker.delivery;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what it is told. */
final class CountingObserver implements DeliveryObserver {
  private final Map<String, Long> drops = new ConcurrentHashMap<>();
  final LongAdder delivered = new LongAdder();
  final LongAdder stored = new LongAdder();
  final LongAdder slowed = new LongAdder();
  final LongAdder routeFailures = new LongAdder();
  final LongAdder redistributed = new LongAdder();
  final LongAdder forgotten = new LongAdder();

  @Override
  public void delivered(long copies) {
    delivered.add(copies);
  }

  @Override
  public void stored(long copies) {
    stored.add(copies);
  }

  @Override
  public void dropped(String reason, long copies) {
    drops.merge(reason, copies, Long::sum);
  }

  @Override
  public void slowed() {
    slowed.increment();
  }

  @Override
  public void routeFailed() {
    routeFailures.increment();
  }

  @Override
  public void redistributed(long messages) {
    redistributed.add(messages);
  }

  @Override
  public void forgotPublisher() {
    forgotten.increment();
  }

  long dropped(CopyDropReason reason) {
    return drops.getOrDefault(reason.label(), 0L);
  }

  Map<String, Long> drops() {
    return Map.copyOf(drops);
  }
}
