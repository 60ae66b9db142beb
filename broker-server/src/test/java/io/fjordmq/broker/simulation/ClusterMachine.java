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
  private final Supplier<List<StorePlacement>> placements;
  private final StoreNode ranges;
  private final LocalNode self;
  private @Nullable SimStores replicas;
  private @Nullable SimNodeProcess nodeProcess;
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
    this.placements = placing;
    this.self = new LocalNode(id.value(), this::incarnation);
    this.ranges =
        new StoreNode(
            cluster,
            peers,
            id,
            () -> damaged.wrap(id, Objects.requireNonNull(replicas).specs()),
            installs,
            (host, kv) -> damaged.wrap(id, defect.wrapConsensusHost(host, kv)));
  }

  private long incarnation() {
    return nodeProcess == null ? 0 : nodeProcess.membership().incarnation();
  }

  NodeId id() {
    return ranges.id();
  }

  /**
   * Starts the node with the data on its disks, at a new address.
   *
   * @param members the replicas of the metadata, for a node without one
   */
  void start(ReplicaSet members) throws IOException {
    SimStores filled = new SimStores(settings.broker(), defect);
    replicas = filled;
    StoreNode.RunningNode opened = ranges.start();
    opened
        .host()
        .machine()
        .correctClock(); // a whole cluster that starts by wrong clocks believes them
    nodeProcess =
        new SimNodeProcess(
            settings, defect, filled, self, opened, members, address(++starts), placements);
  }

  private NodeAddress address(int start) {
    return new NodeAddress(id().value(), FIRST_PORT + 2 * start);
  }

  /** The address of the current incarnation. */
  NodeAddress address() {
    return address(starts);
  }

  /** Creates the initial ranges on the first node of a cluster. */
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
  @Nullable SimNodeProcess nodeProcess() {
    return nodeProcess;
  }

  StoreNode ranges() {
    return ranges;
  }

  void crash() {
    SimNodeProcess dying = Objects.requireNonNull(nodeProcess);
    ranges.crash();
    nodeProcess = null;
    dying.onCrash();
  }
}
