package io.fjordmq.broker.monitor;

import io.fjordmq.broker.delivery.DeliveryStatus;
import io.fjordmq.broker.limits.OverloadReading;
import io.fjordmq.broker.nodes.NodesStatus;
import io.fjordmq.broker.ops.ClientTraffic;
import io.fjordmq.broker.ops.LatencyHistogram;
import io.fjordmq.broker.ops.NodeStatus;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.range.kv.KvMetrics;
import io.fjordmq.router.RouteStoreStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
              () -> reading(clients),
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

  private Reading reading(long clients) {
    long messages = clients * millis / 1_000;
    return new Reading(
        status(),
        new ClientTraffic(clients, 0, 0, 0, 0, 0, 0, 0, 0, messages, 0, 0, 0, 0),
        LatencyHistogram.EMPTY,
        clients,
        new Reading.Disk(10 * clients, 100),
        Series.UNKNOWN);
  }

  /** A state with 2 offline sessions and 9 topics. */
  static NodeStatus status() {
    NodeId self = new NodeId("n1");
    ReplicaSet members = ReplicaSet.ofVoters(self);
    return new NodeStatus(
        new DeliveryStatus(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new NodesStatus(0, 0, 0, 0)),
        new RouteStoreStatus(0, 9, 0, 0, 0, 0, 0, 0),
        new InboxStoreStatus(3, 1, 11, 100),
        77,
        List.of(),
        Map.of(),
        new GroupStatus(new Leadership(1, self, true), members, 1, 1, 1, 1),
        Map.of(),
        new KvMetrics(0, 0, 0, 0, 0, false, 0),
        new NodeStatus.OverloadStatus(false, new OverloadReading(41, 0, 0)),
        new NodeStatus.Disk(false, false, 0, false),
        0,
        new NodeStatus.Cluster(true, 1_000, new Members(1, Map.of()), Map.of()));
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
