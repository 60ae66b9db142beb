package io.fjordmq.broker.ops;

import io.fjordmq.broker.nodes.NodesObserver;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of the streams between nodes. */
final class NodesMeters implements NodesObserver {
  private final LongAdder sent;
  private final LongAdder resent;
  private final LongAdder overdue;
  private final LongAdder received;
  private final LongAdder repeated;

  NodesMeters(Meters meters) {
    sent = meters.counter(DeliveryMetric.NODE_ITEMS, "sent");
    resent = meters.counter(DeliveryMetric.NODE_ITEMS, "resent");
    overdue = meters.counter(DeliveryMetric.NODE_ITEMS, "overdue");
    received = meters.counter(DeliveryMetric.NODE_ITEMS, "received");
    repeated = meters.counter(DeliveryMetric.NODE_ITEMS, "repeated");
  }

  @Override
  public void onSent(int items) {
    sent.add(items);
  }

  @Override
  public void onResent(int items) {
    resent.add(items);
  }

  @Override
  public void onOverdue(int items) {
    overdue.add(items);
  }

  @Override
  public void onReceived(int items) {
    received.add(items);
  }

  @Override
  public void onDuplicate(int items) {
    repeated.add(items);
  }
}
