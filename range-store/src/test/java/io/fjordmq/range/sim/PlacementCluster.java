package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.placement.RangePin;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one run, the state that they know of each other, and the desired state of the
 * ranges. Three to five nodes start, crash and drain; one of them may leave permanently.
 */
final class PlacementCluster {
  private static final long REMOVAL_VERSION = 1_000_000;

  /** The size of a few rows of those that a run writes. */
  private static final long MAX_RANGE_BYTES = 300;

  private final Simulation simulation;
  private final List<NodeId> ids = new ArrayList<>();
  private final Map<NodeId, PlacementNode> nodes =
      new TreeMap<>((a, b) -> a.value().compareTo(b.value()));
  private final Map<NodeId, Member.State> states = new HashMap<>();
  private final List<RangeDescriptor> ranges;
  private final SyntheticLoads loads;
  private final DamagedReplicas damagedReplicas = new DamagedReplicas();
  private final boolean onEveryNode;
  private final Predicate<String> keptRecords;
  private int voters = 3;
  private @Nullable NodeId removedNode;

  /**
   * @param watch wraps the consensus host in each incarnation of a node
   * @param keptRecords a defect: metadata records with these keys are never deleted
   */
  PlacementCluster(
      SimCluster cluster,
      LoopbackPeers peers,
      RandomSplitStrategy strategy,
      Path installDirectory,
      BiFunction<SimHost, SimKv, ConsensusHost> watch,
      Predicate<String> keptRecords) {
    this.keptRecords = keptRecords;
    this.simulation = cluster.simulation();
    this.loads = new SyntheticLoads(simulation);
    this.onEveryNode = simulation.chance(50);
    long size = simulation.between(3, 5);
    for (int i = 0; i < size; i++) {
      ids.add(new NodeId("node" + i));
    }
    ranges = spec(ids.get(0)).initialRanges(ReplicaSet.ofVoters(ids.get(0)));
    ReplicaSet metadata =
        new ReplicaSet(new HashSet<>(ids.subList(0, 3)), new HashSet<>(ids.subList(3, ids.size())));
    // Derived from the seed, so that the random choices of other runs do not change.
    long maxRangeBytes = simulation.seed() % 5 == 2 ? MAX_RANGE_BYTES : 0;
    for (NodeId id : ids) {
      List<StoreSpec> specs = List.of(spec(id));
      StoreNode store = new StoreNode(cluster, peers, id, () -> specs, installDirectory, watch);
      nodes.put(
          id, new PlacementNode(store, metadata, this::stores, strategy, loads, maxRangeBytes));
      states.put(id, Member.State.DOWN);
    }
  }

  private StoreSpec spec(NodeId node) {
    return new StoreSpec(
        "words",
        List.of("m".getBytes(UTF_8)),
        range -> damagedReplicas.coprocessor(range, node),
        (range, effects) -> {});
  }

  private List<StorePlacement> stores() {
    return List.of(new StorePlacement("words", voters, onEveryNode));
  }

  /** Makes the nodes compare their replicas from their next start on. */
  void compareReplicas(ComparisonWatch watch) {
    nodes.values().forEach(node -> node.compareReplicas(watch));
  }

  // ---- the desired state

  int voters() {
    return voters;
  }

  void setTargetVoters(int count) {
    voters = count;
  }

  /** Whether every node that does not vote for a range is a learner. */
  boolean isOnEveryNode() {
    return onEveryNode;
  }

  /** The loads of the ranges. */
  SyntheticLoads loads() {
    return loads;
  }

  /** The damaged replicas. */
  DamagedReplicas damagedReplicas() {
    return damagedReplicas;
  }

  // ---- the nodes

  /** All nodes that ever existed. */
  List<NodeId> ids() {
    return ids;
  }

  NodeId randomId() {
    return ids.get((int) simulation.between(0, ids.size() - 1));
  }

  PlacementNode node(NodeId id) {
    return Objects.requireNonNull(nodes.get(id));
  }

  Set<NodeId> up() {
    Set<NodeId> up = new HashSet<>(ids);
    up.removeIf(id -> !node(id).isUp());
    return up;
  }

  Map<NodeId, Member.State> states() {
    return states;
  }

  boolean isRemoved(NodeId id) {
    return id.equals(removedNode);
  }

  void start(NodeId id) throws IOException {
    PlacementNode.RunningNode running = node(id).start();
    running.membership().setWriteHandler(this::write);
    setState(id, Member.State.UP);
    states.forEach((other, state) -> notifyMembership(running.membership(), other, state));
    if (removedNode != null) {
      running.membership().remove(removedNode, REMOVAL_VERSION);
    }
  }

  /** Sets a node's state in the cluster; every running node learns it. */
  void setState(NodeId id, Member.State state) {
    states.put(id, state);
    nodes.values().stream()
        .filter(PlacementNode::isUp)
        .forEach(node -> notifyMembership(node.running().membership(), id, state));
  }

  private static void notifyMembership(TestMembership membership, NodeId id, Member.State state) {
    membership.set(new Member(id, TestMembership.up(id, 1).address(), 1, state));
  }

  /** Crashes a node; the others notice it a little later. */
  void crash(NodeId id) {
    node(id).crash();
    simulation.schedule(
        simulation.between(200, 500),
        () -> {
          if (!node(id).isUp()) {
            setState(id, Member.State.DOWN);
          }
        });
  }

  /**
   * Removes a node together with its disk. The others have a majority of every group, and learn of
   * it sooner or later.
   */
  void removePermanently(NodeId leaving) {
    removedNode = leaving;
    crash(leaving);
    simulation.run(2_000);
    states.remove(leaving);
    for (NodeId id : ids) {
      simulation.schedule(
          simulation.between(0, 3_000),
          () -> {
            if (!id.equals(leaving) && node(id).isUp()) {
              node(id).running().membership().remove(leaving, REMOVAL_VERSION);
            }
          });
    }
  }

  // ---- metadata and ranges

  CompletableFuture<WriteResult> write(List<Change> batch) {
    PlacementNode leader = metadataLeader();
    if (leader == null) {
      return CompletableFuture.failedFuture(
          new ConsensusException(ConsensusException.Kind.NOT_LEADER, "no leader"));
    }
    List<Change> written =
        batch.stream()
            .filter(change -> change.value() != null || !keptRecords.test(change.key()))
            .toList();
    if (written.isEmpty() && !batch.isEmpty()) { // the defect: it only looks as if it was written
      return CompletableFuture.completedFuture(new WriteResult.Applied(0));
    }
    return leader.running().metadata().write(written);
  }

  @Nullable PlacementNode metadataLeader() {
    return nodes.values().stream()
        .filter(node -> node.isUp() && node.running().metadata().leadership().leading())
        .findFirst()
        .orElse(null);
  }

  /** The initial ranges, all on the first node. */
  List<RangeDescriptor> firstRanges() {
    return ranges;
  }

  /** All ranges, as the metadata leader knows them. */
  List<RangeDescriptor> ranges() {
    PlacementNode leader = metadataLeader();
    List<RangeDescriptor> known =
        leader == null ? List.of() : leader.running().directory().ranges("words");
    return known.isEmpty() ? ranges : known;
  }

  /** The pinned ranges, as the metadata leader knows them. */
  Map<RangeId, RangePin.Stored> pins() {
    PlacementNode leader = metadataLeader();
    return leader == null ? Map.of() : leader.running().directory().pins();
  }

  RangeDescriptor randomRange() {
    List<RangeDescriptor> all = ranges();
    return all.get((int) simulation.between(0, all.size() - 1));
  }

  /** The replica that leads the range in the latest term; null if none does. */
  @Nullable ReplicaStatus leaderOf(RangeId range) {
    ReplicaStatus latest = null;
    for (NodeId id : up()) {
      ReplicaStatus replica = node(id).ranges().status(range);
      if (replica != null
          && replica.leading()
          && (latest == null || term(replica) > term(latest))) {
        latest = replica;
      }
    }
    return latest;
  }

  /**
   * Whether a node has applied the merge of this range; the others have the rows that they need for
   * it, or a snapshot.
   */
  boolean isAbsorbed(RangeId range) {
    return up().stream()
        .anyMatch(id -> StoredRanges.isAbsorbed(node(id).ranges().running().kv(), range));
  }

  static long term(ReplicaStatus replica) {
    GroupStatus group = replica.group();
    return group == null ? 0 : group.leadership().term();
  }
}
