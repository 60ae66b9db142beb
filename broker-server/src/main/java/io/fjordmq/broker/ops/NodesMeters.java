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
    sent = meters.counter(Metric.NODE_ITEMS, "sent");
    resent = meters.counter(Metric.NODE_ITEMS, "resent");
    overdue = meters.counter(Metric.NODE_ITEMS, "overdue");
    received = meters.counter(Metric.NODE_ITEMS, "received");
    repeated = meters.counter(Metric.NODE_ITEMS, "repeated");
  }

  @Override
  public void sent(int items) {
    sent.add(items);
  }

  @Override
  public void resent(int items) {
    resent.add(items);
  }

  @Override
  public void overdue(int items) {
    overdue.add(items);
  }

  @Override
  public void received(int items) {
    received.add(items);
  }

  @Override
  public void repeated(int items) {
    repeated.add(items);
  }
}
