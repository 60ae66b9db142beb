package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.cluster.membership.SimNode.Defect;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The memberships of several simulated nodes, the faults injected into them, and their invariants.
 */
final class SimMembers implements AutoCloseable {
  static final long CALM_MILLIS = 60_000;
  private static final int MAX_REMOVALS = 3;

  /** Start time of some nodes: longer than several leases. */
  private static final long SLOW_START_MILLIS = 15_000;

  private static final int SLOW_STARTS_PERCENT = 15;

  /**
   * Long enough for one of the two nodes to leave service, and to return if nothing prevented it.
   */
  private static final long MAX_PARTITION_MILLIS = 25_000;

  private final Simulation simulation;
  private final SimCluster cluster;
  private final LoopbackPeers peers;
  private final Defects defects;
  private final List<NodeId> nodes = new ArrayList<>();
  private final Map<String, SimNode> runningNodes = new TreeMap<>();
  private List<ClusterMembership> memberships = List.of();
  private final ServingInvariant serving = new ServingInvariant();
  private final Map<NodeId, Long> lastIncarnation = new HashMap<>();
  private final Set<NodeId> createdNodes = new HashSet<>();
  private final Set<ReadyIncarnation> readyIncarnations = new HashSet<>();
  private final Map<NodeId, Members> lastCheckedMembers = new HashMap<>();
  private long admissions;
  private long endedIncarnations;
  private int removals;
  private boolean slowStarts = true;

  /** An incarnation in which the node was able to respond to barriers. */
  private record ReadyIncarnation(NodeId node, long incarnation) {}

  /** The defects planted in each node. */
  interface Defects {
    Defect of(int node);
  }

  /** Totals over many runs. */
  static final class Totals {
    private long admissions;
    private long endedIncarnations;
    private long removals;

    void add(SimMembers run) {
      removals += run.serving.removed().size();
      admissions += run.admissions;
      endedIncarnations += run.endedIncarnations;
    }

    long admissions() {
      return admissions;
    }

    long endedIncarnations() {
      return endedIncarnations;
    }

    long removals() {
      return removals;
    }
  }

  SimMembers(long seed, int size, Defects defects) {
    this.defects = defects;
    simulation = new Simulation(seed);
    cluster = new SimCluster(simulation);
    peers = LoopbackPeers.simulated(cluster.network());
    for (int i = 0; i < size; i++) {
      nodes.add(new NodeId("n" + i));
    }
    simulation.afterEveryEvent(this::check);
  }

  /** Runs a first node, nodes that join it, two minutes of faults, then a fault-free phase. */
  void runWithFaults() {
    cluster.network().setFaults(SimNetwork.Faults.UNRELIABLE);
    start(nodes.get(0));
    for (int i = 0; i < 400; i++) {
      injectFault();
      simulation.run(simulation.between(1, 600));
    }
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    cluster.network().heal();
    slowStarts = false;
    List.copyOf(nodes).forEach(this::startUnlessRunning);
    try {
      simulation.runUntil("every node serves", this::allServe, CALM_MILLIS);
      simulation.runUntil("the number of voters is correct", this::hasTargetVoters, CALM_MILLIS);
      simulation.runUntil("removed nodes know it", this::removalsAreKnown, CALM_MILLIS);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + describeNodes(), e);
    }
  }

  /** The nodes join one after the other; the network only adds delays. */
  void runWithoutFaults() {
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    for (NodeId node : nodes) {
      start(node);
      simulation.run(simulation.between(4_000, 10_000)); // longer than a lease
    }
    simulation.runUntil("every node serves", this::allServe, CALM_MILLIS);
    for (SimNode simNode : runningNodes.values()) {
      if (simNode.membership().incarnation() != 1) {
        throw new AssertionError(
            simNode.membership().self()
                + " lost an incarnation without faults; current incarnation: "
                + simNode.membership().incarnation()
                + "th");
      }
    }
  }

  /** Allows faults of the clocks of these nodes. */
  ClockFaultScenarios clockFaults() {
    slowStarts = false;
    return new ClockFaultScenarios(this, simulation, cluster, nodes);
  }

  /** Replaces nodes by other versions; the defects must be these versions. */
  UpgradeScenario upgrades(SimVersions versions) {
    return new UpgradeScenario(this, simulation, cluster, nodes, versions);
  }

  List<ClusterMembership> memberships() {
    return memberships;
  }

  /**
   * Two nodes that both reach the metadata leader are partitioned: one of them leaves service, is
   * not counted before they reach each other again, and no other node is affected.
   */
  void runWithPartitionedPairs() {
    slowStarts = false;
    cluster.network().setFaults(new SimNetwork.Faults(0, 0, 0, 15, 3));
    nodes.forEach(
        node -> {
          start(node);
          simulation.runUntil("it serves", this::allRunningServe, CALM_MILLIS);
        });
    simulation.runUntil("the number of voters is correct", this::hasTargetVoters, CALM_MILLIS);
    for (int i = 0; i < 3; i++) {
      partitionPair();
      simulation.run(simulation.between(1, 20_000));
    }
  }

  private void partitionPair() {
    List<NodeId> others = new ArrayList<>(nodes);
    others.removeIf(this::leadsMetadata);
    Collections.shuffle(others, simulation.random());
    PartitionedPair pair = new PartitionedPair(others.get(0), others.get(1), memberships());
    cluster.network().cut(pair.first(), pair.second());
    if (simulation.chance(60)) {
      cluster.network().cut(pair.second(), pair.first());
    }
    for (long end = simulation.now() + MAX_PARTITION_MILLIS; simulation.now() < end; ) {
      simulation.run(100);
      pair.check(memberships());
    }
    pair.assertOneEnded(memberships());
    cluster.network().heal();
    simulation.runUntil("every node serves", this::allServe, CALM_MILLIS);
    pair.assertOneEnded(memberships());
  }

  private boolean leadsMetadata(NodeId node) {
    return Objects.requireNonNull(runningNodes.get(node.value())).group().leadership().leading();
  }

  private boolean allRunningServe() {
    return memberships().stream().allMatch(ClusterMembership::isServing);
  }

  /** A single node pauses repeatedly for longer than a lease. */
  void runSingleNode() {
    start(nodes.get(0));
    simulation.runUntil("it serves", this::allServe, CALM_MILLIS);
    SimNode simNode = Objects.requireNonNull(runningNodes.get(nodes.get(0).value()));
    for (int i = 0; i < 20; i++) {
      simNode.host().process().pause(simulation.between(4_000, 20_000));
      for (int step = 0; step < 300; step++) {
        simulation.run(100);
        if (!simNode.membership().isServing() || simNode.membership().incarnation() != 1) {
          throw new AssertionError(
              "alone, but "
                  + simNode.membership().notServingReason()
                  + ", incarnation "
                  + simNode.membership().incarnation());
        }
      }
    }
  }

  void injectFault() {
    if (removals < MAX_REMOVALS && simulation.chance(3)) {
      removeDownNode();
    }
    NodeId node = nodes.get((int) simulation.between(0, nodes.size() - 1));
    SimNode simNode = runningNodes.get(node.value());
    if (simNode == null) {
      if (simulation.chance(30)) {
        startUnlessRunning(node);
      }
    } else if (simulation.chance(3)) {
      crash(node);
    } else if (simulation.chance(4)) {
      simNode.host().process().pause(simulation.between(500, 8_000));
    } else if (simulation.chance(4)) {
      cluster.network().partition(nodes, List.of(node));
    } else if (simulation.chance(3)) {
      cluster.network().cut(node, nodes.get((int) simulation.between(0, nodes.size() - 1)));
    } else if (simulation.chance(25)) {
      cluster.network().heal();
    }
  }

  /** Removes a node that some node sees as DOWN, whether or not it is; a new one replaces it. */
  private void removeDownNode() {
    for (SimNode simNode : runningNodes.values()) {
      Members seen = simNode.membership().members();
      for (NodeId node : nodes) {
        Member member = seen.find(node);
        if (member != null && !member.isAlive()) {
          removals++;
          simNode.membership().remove(node);
          nodes.add(new NodeId("n" + nodes.size()));
          return;
        }
      }
    }
  }

  void startUnlessRunning(NodeId node) {
    if (!cluster.running(node)) {
      start(node);
    }
  }

  void start(NodeId node) {
    ReplicaSet members = members(node);
    if (members == null) {
      return; // no node replies
    }
    try {
      SimHost host = cluster.start(node);
      SimNode started =
          SimNode.start(host, peers, members, seeds(node), defects.of(nodes.indexOf(node)));
      createdNodes.add(node);
      runningNodes.put(node.value(), started);
      recordMemberships();
      SimListener watching = new SimListener(started.membership());
      started.membership().watch(watching);
      if (defects.of(nodes.indexOf(node)).reportsReadyEarly()) {
        started.membership().markReady();
      }
      simulation.schedule(
          startMillis(),
          () -> {
            if (runningNodes.get(node.value()) == started) {
              watching.ready = true;
              started.membership().markReady();
            }
          });
    } catch (ConsensusException | IOException e) {
      throw new AssertionError(node + " does not start", e);
    }
  }

  private long startMillis() {
    boolean slow = slowStarts && simulation.chance(SLOW_STARTS_PERCENT);
    return simulation.between(0, slow ? SLOW_START_MILLIS : 2_000);
  }

  /** The metadata replicas as known to the node that a joining node contacts. */
  private @Nullable ReplicaSet members(NodeId node) {
    if (createdNodes.contains(node) || node.equals(nodes.get(0))) {
      return ReplicaSet.ofVoters(nodes.get(0));
    }
    for (SimNode seed : runningNodes.values()) {
      if (serving.removed().contains(seed.membership().self())) {
        continue;
      }
      ReplicaSet replicas = seed.group().status().replicas();
      if (!replicas.learners().contains(node) && !replicas.voters().contains(node)) {
        return replicas;
      }
    }
    return null;
  }

  /**
   * Its file lists the nodes that exist when it starts; it may know none of them from its own data.
   */
  private List<NodeId> seeds(NodeId node) {
    return runningNodes.values().stream()
        .map(simNode -> simNode.membership().self())
        .filter(other -> !other.equals(node) && !serving.removed().contains(other))
        .toList();
  }

  private void recordMemberships() {
    memberships = runningNodes.values().stream().map(SimNode::membership).toList();
  }

  void crash(NodeId node) {
    runningNodes.remove(node.value());
    recordMemberships();
    peers.start(node).stop();
    cluster.crash(node);
  }

  @Override
  public void close() {
    cluster.close();
  }

  // ---- invariants

  private void check() {
    serving.check(memberships());
    runningNodes.values().forEach(this::checkCounted);
  }

  /** No node waits for a node that is not ready to respond. */
  private void checkCounted(SimNode seeing) {
    Members members = seeing.membership().members();
    if (lastCheckedMembers.put(seeing.membership().self(), members) == members) {
      return;
    }
    for (Member member : members.byNode().values()) {
      if (member.isCounted()
          && !readyIncarnations.contains(
              new ReadyIncarnation(member.node(), member.incarnation()))) {
        throw new AssertionError(
            "%s counts %s, which has not been ready in this incarnation"
                .formatted(seeing.membership().self(), member));
      }
    }
  }

  boolean allServe() {
    return members()
        .allMatch(
            node -> {
              SimNode simNode = runningNodes.get(node.value());
              return simNode != null && simNode.membership().isServing();
            });
  }

  /** The view of every node, for diagnosis. */
  private String describeNodes() {
    StringBuilder text = new StringBuilder("\nremoved: " + serving.removed());
    runningNodes.forEach(
        (name, simNode) ->
            text.append(
                "\n%s: %s; %s, led by %s; %s"
                    .formatted(
                        name,
                        simNode.membership().notServingReason(),
                        simNode.group().status().replicas(),
                        simNode.group().leadership(),
                        simNode.membership().members())));
    return text.toString();
  }

  ClusterMembership membership(NodeId node) {
    return Objects.requireNonNull(runningNodes.get(node.value())).membership();
  }

  /** The process of a node; null if it is not running. */
  @Nullable SimProcess process(NodeId node) {
    SimNode simNode = runningNodes.get(node.value());
    return simNode == null ? null : simNode.host().process();
  }

  private Stream<NodeId> members() {
    return nodes.stream().filter(node -> !serving.removed().contains(node));
  }

  private boolean removalsAreKnown() {
    return serving.removed().stream()
        .map(node -> runningNodes.get(node.value()))
        .filter(Objects::nonNull)
        .allMatch(
            simNode ->
                NodeIncarnations.REMOVED_MESSAGE.equals(simNode.membership().notServingReason()));
  }

  private boolean hasTargetVoters() {
    int size = (int) members().count();
    int targetVoters = MetadataReplicaPlan.targetVoterCount(size);
    return members()
        .map(node -> Objects.requireNonNull(runningNodes.get(node.value())))
        .allMatch(
            simNode -> {
              ReplicaSet replicas = simNode.group().status().replicas();
              return replicas.voters().size() == targetVoters
                  && replicas.learners().size() == size - targetVoters;
            });
  }

  /** Stands in for the layers above the membership of a node; it is slow and sometimes fails. */
  private final class SimListener implements MembershipListener {
    private final ClusterMembership membership;
    private final SimNode simNode;
    private long admitted;
    private boolean ready;

    SimListener(ClusterMembership membership) {
      this.membership = membership;
      this.simNode = Objects.requireNonNull(runningNodes.get(membership.self().value()));
    }

    @Override
    public CompletableFuture<Void> beforeAdmission(long incarnation) {
      return completeLater(simulation.chance(10)).thenRun(() -> recordReady(incarnation));
    }

    private void recordReady(long incarnation) {
      if (ready) {
        SimMembers.this.readyIncarnations.add(new ReadyIncarnation(membership.self(), incarnation));
      }
    }

    @Override
    public void onAdmitted(long incarnation) {
      admissions++;
      admitted = incarnation;
      Long before = lastIncarnation.put(membership.self(), incarnation);
      if (before != null && before >= incarnation) {
        throw new AssertionError(
            membership.self()
                + " was admitted with incarnation "
                + incarnation
                + " after "
                + before);
      }
    }

    @Override
    public CompletableFuture<Void> onIncarnationEnded(long incarnation) {
      endedIncarnations++;
      if (admitted > incarnation) {
        throw new AssertionError(incarnation + " ends after " + admitted + " was admitted");
      }
      return completeLater(false);
    }

    private CompletableFuture<Void> completeLater(boolean failing) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      Runnable end =
          () -> {
            if (failing) {
              done.completeExceptionally(new IllegalStateException("not now"));
            } else {
              done.complete(null);
            }
          };
      simNode.host().process().schedule(simulation.between(0, 700), end);
      return done;
    }
  }
}
