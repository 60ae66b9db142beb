package io.fjordmq.range.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.remote.PeerRangeTransport;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Runs one seed: a cluster of three to five nodes starts with two ranges on one node. Clients
 * append words while messages get lost, nodes crash, drain and are partitioned, replicas get
 * damaged, the number of voters changes, and one node leaves permanently ({@link
 * PlacementFaultInjector}). Then the disturbances end, every range must reach the desired state
 * ({@link PlacementGoal}), and nothing may be lost or duplicated.
 */
final class PlacementSimulation {
  private static final List<String> KEYS = List.of("a", "b", "c", "x", "y");
  private static final String PINS = "range-pin/";
  private static final int CLIENTS = 2;
  private static final int ROUNDS = 25;
  private static final long TIMEOUT_MILLIS = 30_000;

  private final Simulation simulation;
  private final SimCluster hosts;
  private final LoopbackPeers peers;
  private final WordHistory history = new WordHistory();
  private final SimCounts counts;
  private final List<SimClient> clients = new ArrayList<>();
  private final RandomSplitStrategy splits;
  private final PlacementCluster cluster;
  private final PlacementPins pins;
  private final PlacementFaultInjector faultInjector;
  private final PlacementGoal goal;

  /** Planted defects. */
  enum Defect {
    NONE,
    /** A leader responds to queries without confirming its leadership. */
    UNCONFIRMED_READS,
    /** Nodes remove replicas that are still members of their groups. */
    EARLY_DROPS,
    /** A node empties a damaged replica while it is still a member of the group. */
    EMPTIED_REPLICAS,
    /** A range absorbs another one as soon as one replica of that one is frozen. */
    EARLY_ABSORPTIONS,
    /** The publication of a merge does not delete the record of the absorbed range. */
    UNDELETED_RECORDS,
    /** The driver does not remove pins that it cannot follow. */
    UNREMOVED_PINS
  }

  PlacementSimulation(long seed, Defect defect, Path installDirectory, SimCounts counts) {
    this.simulation = new Simulation(seed);
    this.splits = new RandomSplitStrategy(simulation, 40);
    this.hosts = new SimCluster(simulation);
    this.peers = LoopbackPeers.simulated(hosts.network());
    this.counts = counts;
    boolean unconfirmed = defect == Defect.UNCONFIRMED_READS;
    this.cluster =
        new PlacementCluster(
            hosts,
            peers,
            splits,
            installDirectory,
            (host, kv) ->
                new WatchedHost(
                    host, kv, "words", history, counts, this::onReplicaRemoved, unconfirmed),
            key -> isKept(defect, key));
    this.pins = new PlacementPins(simulation, cluster, counts);
    this.faultInjector =
        new PlacementFaultInjector(
            simulation,
            hosts.network(),
            cluster,
            KEYS,
            defect == Defect.EARLY_DROPS,
            defect == Defect.EMPTIED_REPLICAS,
            new PlacementMerges(simulation, cluster, counts, defect == Defect.EARLY_ABSORPTIONS),
            pins,
            history,
            counts);
    this.goal = new PlacementGoal(cluster, counts);
    simulation.afterEveryEvent(history::assertNoViolation);
  }

  private static boolean isKept(Defect defect, String key) {
    return switch (defect) {
      case UNDELETED_RECORDS -> !key.startsWith(PINS);
      case UNREMOVED_PINS -> key.startsWith(PINS);
      default -> false;
    };
  }

  /** Makes the nodes compare their replicas during the run. */
  void compareReplicas(ComparisonWatch watch) {
    cluster.compareReplicas(watch);
  }

  /**
   * @throws AssertionError naming the seed if a guarantee is violated
   */
  void run() {
    try (hosts) {
      bootstrap();
      hosts.network().setFaults(SimNetwork.Faults.UNRELIABLE);
      runRounds();
      endFailures(3); // as many replicas as the permanent loss of one node requires
      cluster.removePermanently(cluster.randomId());
      clients.forEach(SimClient::resumeSending);
      hosts.network().setFaults(SimNetwork.Faults.UNRELIABLE);
      runRounds();
      endFailures((int) simulation.between(1, 3));
      assertFinalState();
    } catch (IOException e) {
      throw new UncheckedIOException("seed " + simulation.seed(), e);
    } catch (ConsensusException e) {
      throw new AssertionError("seed " + simulation.seed(), e);
    }
  }

  /** As in a broker, the first node creates the ranges and publishes them, then the others join. */
  private void bootstrap() throws IOException {
    for (NodeId id : cluster.ids()) {
      cluster.start(id);
    }
    List<RangeDescriptor> ranges = cluster.firstRanges();
    PlacementNode first = cluster.node(cluster.ids().get(0));
    first.ranges().store().createInitialRanges(ranges);
    simulation.runUntil(
        "the metadata group has a leader", () -> cluster.metadataLeader() != null, 20_000);
    CompletableFuture<WriteResult> published = cluster.write(RangeDirectory.initialChanges(ranges));
    simulation.runUntil("the ranges are published", published::isDone, 20_000);
    assertThat(published).isCompleted();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(newClient(i));
    }
  }

  private SimClient newClient(int number) {
    NodeId id = new NodeId("client" + number);
    SimClient client =
        new SimClient(
            hosts,
            id,
            "c" + number,
            KEYS,
            cluster.firstRanges(),
            history,
            counts,
            this::clientTransport);
    updateRanges(client);
    return client;
  }

  private RangeTransport clientTransport(SimCluster ignored, NodeId client) {
    LoopbackPeers.Node calls = peers.start(client, hosts.host(client).process());
    return new PeerRangeTransport(calls, Duration.ofMillis(200));
  }

  /** Clients learn the ranges from a random node. */
  private void updateRanges(SimClient client) {
    PlacementNode source = cluster.node(cluster.randomId());
    if (source.isUp()) {
      client.updateRanges(source.running().directory().ranges("words"));
    }
    client.process().schedule(simulation.between(50, 300), () -> updateRanges(client));
  }

  private void runRounds() throws IOException {
    splits.setPaused(false);
    for (int round = 0; round < ROUNDS; round++) {
      faultInjector.injectFault();
      simulation.run(simulation.between(1, 400));
    }
  }

  private void endFailures(int voters) throws IOException {
    clients.forEach(SimClient::stopSending);
    splits.setPaused(true);
    hosts.network().heal();
    hosts.network().setFaults(SimNetwork.Faults.NONE);
    simulation.run(600); // crashes are detected
    hosts.network().heal(); // steps planned before the disturbances ended
    for (NodeId id : cluster.ids()) {
      if (!cluster.isRemoved(id)) {
        if (!cluster.node(id).isUp()) {
          cluster.start(id);
        }
        cluster.setState(id, Member.State.UP);
      }
    }
    cluster.setTargetVoters(voters);
    pins.unpinSome();
    simulation.run(1_500);
    // A group that has lost its majority since then would need a backup.
    cluster.damagedReplicas().removeIf(range -> cluster.leaderOf(range) == null);
    await("every range is where it should be", goal::isReached);
  }

  private void await(String what, BooleanSupplier condition) {
    try {
      simulation.runUntil(what, condition, TIMEOUT_MILLIS);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + goal.describeNodes(), e);
    }
  }

  private void assertFinalState() {
    awaitResponses();
    simulation.run(SimClient.REGISTER_AGAIN_AFTER.toMillis() + 1);
    int failedBefore = failures();
    clients.forEach(SimClient::sendLastCommand);
    awaitResponses();
    assertThat(failures() - failedBefore)
        .as("seed %s: failures after the disturbances ended", simulation.seed())
        .isZero();
    await("all replicas hold the same rows", goal::areReplicasEqual);
    clients.forEach(client -> counts.acknowledgements += client.acknowledgements());
    counts.loadSplits += cluster.ranges().stream().filter(this::wasSplitByLoad).count();
    counts.sizeSplits += cluster.ranges().stream().filter(this::wasSplitBySize).count();
  }

  /** No operator requested this range, and it is not an initial one. */
  private boolean wasSplitBySize(RangeDescriptor range) {
    byte[] start = range.interval().start();
    return !splits.hasRequested(start)
        && !faultInjector.hasRequested(new String(start, StandardCharsets.UTF_8))
        && cluster.firstRanges().stream()
            .noneMatch(first -> Arrays.equals(first.interval().start(), start));
  }

  /** Only the load of its parent requested this range. */
  private boolean wasSplitByLoad(RangeDescriptor range) {
    byte[] start = range.interval().start();
    return splits.hasRequested(start)
        && !faultInjector.hasRequested(new String(start, StandardCharsets.UTF_8));
  }

  private void awaitResponses() {
    simulation.runUntil(
        "every client has its responses",
        () -> clients.stream().allMatch(client -> client.pendingCalls() == 0),
        TIMEOUT_MILLIS);
  }

  private int failures() {
    return clients.stream().mapToInt(SimClient::failures).sum();
  }

  /** Checks that a group does not list a node as a member when the node drops its replica. */
  private void onReplicaRemoved(NodeId node, GroupId group) {
    ReplicaStatus leader = cluster.leaderOf(StoredRanges.idOf(group));
    if (leader != null && !cluster.isAbsorbed(leader.descriptor().id())) {
      assertThat(leader.voters().contains(node) || leader.learners().contains(node))
          .as("%s removes its replica of %s, which is still a member of the group", node, group)
          .isFalse();
      counts.removals++;
      counts.rebuilds += cluster.damagedReplicas().remove(leader.descriptor().id(), node) ? 1 : 0;
    } else {
      cluster.damagedReplicas().remove(StoredRanges.idOf(group), node);
    }
  }
}
