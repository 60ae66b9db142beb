package io.fjordmq.broker.simulation;

import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.sim.StoreNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A node across incarnations: its name and its disks. */
final class ClusterMachine {
  private static final int FIRST_PORT = 1_000;

  private final ClusterSettings settings;
  private final ClusterDefect defect;
  private final Supplier<List<StorePlacement>> placing;
  private final StoreNode ranges;
  private final LocalNode self;
  private @Nullable SimStores replicas;
  private @Nullable SimNodeProcess life;
  private int starts;

  ClusterMachine(
      SimCluster cluster,
      LoopbackPeers peers,
      NodeId id,
      Path installs,
      ClusterSettings settings,
      ClusterDefect defect,
      DamagedReplicas damaged,
      Supplier<List<StorePlacement>> placing) {
    this.settings = settings;
    this.defect = defect;
    this.placing = placing;
    this.self = new LocalNode(id.value(), this::incarnation);
    this.ranges =
        new StoreNode(
            cluster,
            peers,
            id,
            () -> damaged.in(id, Objects.requireNonNull(replicas).specs()),
            installs,
            (host, kv) -> damaged.in(id, defect.host(host, kv)));
  }

  private long incarnation() {
    return life == null ? 0 : life.membership().incarnation();
  }

  NodeId id() {
    return ranges.id();
  }

  /**
   * Starts on what its disks hold, at another address than before.
   *
   * @param members who holds the metadata, if it has no replica yet
   */
  void start(ReplicaSet members) throws IOException {
    SimStores filled = new SimStores(settings.broker(), defect);
    replicas = filled;
    StoreNode.RunningNode opened = ranges.start();
    opened
        .host()
        .machine()
        .correctClock(); // a whole cluster that starts by wrong clocks believes them
    life =
        new SimNodeProcess(
            settings, defect, filled, self, opened, members, address(++starts), placing);
  }

  private NodeAddress address(int start) {
    return new NodeAddress(id().value(), FIRST_PORT + 2 * start);
  }

  /** The address it has said in its present life. */
  NodeAddress address() {
    return address(starts);
  }

  /** The ranges that the first node of a cluster begins with. */
  List<RangeDescriptor> createInitialRanges() throws IOException {
    ReplicaSet alone = ReplicaSet.ofVoters(id());
    List<RangeDescriptor> initial =
        Objects.requireNonNull(replicas).specs().stream()
            .flatMap(spec -> spec.initialRanges(alone).stream())
            .toList();
    ranges.store().createInitialRanges(initial);
    return initial;
  }

  /** Null while it is down. */
  @Nullable SimNodeProcess life() {
    return life;
  }

  StoreNode ranges() {
    return ranges;
  }

  void crash() {
    SimNodeProcess dying = Objects.requireNonNull(life);
    ranges.crash();
    life = null;
    dying.crashed();
  }
}
