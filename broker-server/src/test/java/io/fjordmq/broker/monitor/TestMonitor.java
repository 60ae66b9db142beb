package io.fjordmq.broker.monitor;

import io.fjordmq.broker.ops.ClientTraffic;
import io.fjordmq.broker.ops.LatencyHistogram;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.inbox.InboxStoreStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The measured values of the nodes n0, n1, … of a cluster, in simulated time. Node 0 has 1 client,
 * node 1 has 2, and so on; every client publishes one message a second.
 */
public final class TestMonitor {
  private static final long START = 1_800_000_000_000L;

  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final List<TestMembership> memberships = new ArrayList<>();
  private final List<Sampler> samplers = new ArrayList<>();
  private final List<MonitorQueries> queries = new ArrayList<>();
  private long millis;

  public TestMonitor(int size) {
    for (int i = 0; i < size; i++) {
      TestMembership membership = new TestMembership(id(i));
      for (int other = 0; other < size; other++) {
        membership.setUp(id(other), 1);
      }
      memberships.add(membership);
      long clients = i + 1L;
      Sampler sampler =
          new Sampler(
              source(() -> gauges(clients), () -> LatencyHistogram.EMPTY, () -> Series.UNKNOWN),
              () -> Instant.ofEpochMilli(START + millis),
              () -> millis * 1_000_000);
      samplers.add(sampler);
      queries.add(
          MonitorQueries.start(
              sampler,
              () -> Map.of("messages.received", clients * millis / 1_000),
              membership,
              peers.start(id(i))));
    }
  }

  private static NodeId id(int node) {
    return new NodeId("n" + node);
  }

  private Gauges gauges(long clients) {
    long messages = clients * millis / 1_000;
    return gauges(
        new ClientTraffic(clients, 0, 0, 0, 0, 0, 0, 0, 0, messages, 0, 0, 0, 0),
        clients,
        new Gauges.Disk(10 * clients, 100));
  }

  /** Values with 2 offline sessions and 9 topics. */
  static Gauges gauges(ClientTraffic traffic, long retained, Gauges.Disk disk) {
    return new Gauges(traffic, new InboxStoreStatus(3, 1, 11, 100), 9, retained, 41, disk);
  }

  /**
   * A source of these values.
   *
   * @param gauges called for every reading
   */
  static Sampler.Source source(
      Supplier<Gauges> gauges, Supplier<LatencyHistogram> acknowledgements, LongSupplier cpuNanos) {
    return new Sampler.Source() {
      @Override
      public Gauges gauges() {
        return gauges.get();
      }

      @Override
      public Reading reading() {
        return new Reading(gauges(), acknowledgements.get(), cpuNanos.getAsLong());
      }
    };
  }

  /** Lets time pass. */
  public void run(int seconds) {
    for (int i = 0; i < seconds; i++) {
      millis += 1_000;
      samplers.forEach(Sampler::tick);
    }
  }

  public MonitorQueries queries(int node) {
    return queries.get(node);
  }

  public Membership membership(int node) {
    return memberships.get(node);
  }

  /** Cuts the connection between two nodes. */
  public void cut(int one, int other) {
    peers.cut(id(one), id(other));
    peers.cut(id(other), id(one));
  }
}
