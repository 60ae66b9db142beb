package io.fjordmq.broker.ops;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.router.client.RouteObserver;
import io.micrometer.core.instrument.Timer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of the route barrier. */
final class RouteMeters implements RouteObserver {
  static final int MAX_NODES = 128;

  /** The label that stands for all nodes beyond the maximum. */
  static final String OTHER = "other";

  private final Meters meters;
  private final Timer barrier;

  /** The seconds waited, by the slowest node. Guarded by itself. */
  private final Map<String, LongAdder> slowest = new HashMap<>();

  RouteMeters(Meters meters) {
    this.meters = meters;
    barrier = meters.timer(StoreMetric.ROUTE_BARRIER);
  }

  @Override
  public void onWaited(Collection<NodeId> slowestNodes, long nanos) {
    barrier.record(nanos, TimeUnit.NANOSECONDS);
    slowestNodes.forEach(node -> waited(node).add(nanos));
  }

  private LongAdder waited(NodeId node) {
    synchronized (slowest) {
      LongAdder known = slowest.get(node.value());
      if (known != null) {
        return known;
      }
      String label = slowest.size() < MAX_NODES ? node.value() : OTHER;
      return slowest.computeIfAbsent(
          label, name -> meters.secondsCounter(StoreMetric.ROUTE_BARRIER_WAIT, name));
    }
  }
}
