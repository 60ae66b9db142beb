package io.fjordmq.range.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.remote.PeerRangeTransport;
import io.fjordmq.range.store.ReplicaStatus;
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
 * One seed's run: a cluster of three to five nodes begins with two ranges on one of them. While
 * clients append words, messages get lost, nodes crash, drain, are cut off, replicas get damaged,
 * the number of voters is changed, and one node leaves for good ({@link PlacementTrouble}). Then
 * there is peace, and everything must be where it should be ({@link PlacementGoal}), with nothing
 * lost or doubled.
 */
final class PlacementSimulation {
  private static final List<String> KEYS = List.of("a", "b", "c", "x", "y");
  private static final int CLIENTS = 2;
  private static final int ROUNDS = 25;
  private static final long PATIENCE_MILLIS = 30_000;

  private final Simulation simulation;
  private final SimCluster hosts;
  private final LoopbackPeers peers;
  private final WordHistory history = new WordHistory();
  private final SimCounts counts;
  private final List<SimClient> clients = new ArrayList<>();
  private final RandomWishes wishes;
  private final PlacementCluster cluster;
  private final PlacementTrouble trouble;
  private final PlacementGoal goal;

  /** What may be wrong on purpose. */
  enum Defect {
    NONE,
    /** A leader answers queries without asking whether it still leads. */
    READS_UNCONFIRMED,
    /** Nodes remove replicas that their groups still have. */
    HASTY_DROPS,
    /** A node empties a damaged replica, instead of having the group do without it first. */
    EMPTIED_REPLICAS,
    /** A range takes in another one as soon as one replica of that stands still. */
    HASTY_ABSORPTIONS,
    /** Whoever publishes a merge leaves the record of the range that is gone. */
    FORGOTTEN_RECORDS
  }

  PlacementSimulation(long seed, Defect defect, Path installs, SimCounts counts) {
    this.simulation = new Simulation(seed);
    this.wishes = new RandomWishes(simulation, 40);
    this.hosts = new SimCluster(simulation);
    this.peers = LoopbackPeers.simulated(hosts.network());
    this.counts = counts;
    boolean unconfirmed = defect == Defect.READS_UNCONFIRMED;
    this.cluster =
        new PlacementCluster(
            hosts,
            peers,
            wishes,
            installs,
            (host, kv) ->
                new WatchedHost(host, kv, "words", history, counts, this::removed, unconfirmed),
            defect == Defect.FORGOTTEN_RECORDS);
    this.trouble =
        new PlacementTrouble(
            simulation,
            hosts.network(),
            cluster,
            KEYS,
            defect == Defect.HASTY_DROPS,
            defect == Defect.EMPTIED_REPLICAS,
            new PlacementMerges(simulation, cluster, counts, defect == Defect.HASTY_ABSORPTIONS),
            history,
            counts);
    this.goal = new PlacementGoal(cluster, counts);
    simulation.afterEveryEvent(history::assertUnviolated);
  }

  /**
   * @throws AssertionError naming the seed if a promise is broken
   */
  void run() {
    try (hosts) {
      begin();
      hosts.network().setFaults(SimNetwork.Faults.ROUGH);
      rounds();
      peace(3); // as many copies as one loss for good needs
      cluster.loseForGood(cluster.anyId());
      clients.forEach(SimClient::wake);
      hosts.network().setFaults(SimNetwork.Faults.ROUGH);
      rounds();
      peace((int) simulation.between(1, 3));
      theEnd();
    } catch (IOException e) {
      throw new UncheckedIOException("seed " + simulation.seed(), e);
    } catch (ConsensusException e) {
      throw new AssertionError("seed " + simulation.seed(), e);
    }
  }

  /** As a broker does it: the first node has the ranges, publishes them, the others join. */
  private void begin() throws IOException, ConsensusException {
    for (NodeId id : cluster.ids()) {
      cluster.start(id);
    }
    List<RangeDescriptor> ranges = cluster.firstRanges();
    PlacementNode first = cluster.node(cluster.ids().get(0));
    first.ranges().store().createInitialRanges(ranges);
    simulation.runUntil(
        "the metadata have a leader", () -> cluster.metadataLeader() != null, 20_000);
    CompletableFuture<WriteResult> published = cluster.write(RangeDirectory.first(ranges));
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
    hear(client);
    return client;
  }

  private RangeTransport clientTransport(SimCluster ignored, NodeId client) {
    LoopbackPeers.Node calls = peers.start(client, hosts.host(client).process());
    return new PeerRangeTransport(
        client, new SimTransport(hosts, client), calls, Duration.ofMillis(200));
  }

  /** Clients hear of the ranges from one node or another. */
  private void hear(SimClient client) {
    PlacementNode source = cluster.node(cluster.anyId());
    if (source.isUp()) {
      client.update(source.life().directory().ranges("words"));
    }
    client.process().schedule(simulation.between(50, 300), () -> hear(client));
  }

  private void rounds() throws IOException, ConsensusException {
    wishes.rest(false);
    for (int round = 0; round < ROUNDS; round++) {
      trouble.next();
      simulation.run(simulation.between(1, 400));
    }
  }

  private void peace(int voters) throws IOException, ConsensusException {
    clients.forEach(SimClient::rest);
    wishes.rest(true);
    hosts.network().heal();
    hosts.network().setFaults(SimNetwork.Faults.NONE);
    simulation.run(600); // crashes are noticed
    hosts.network().heal(); // of what was planned before there was peace
    for (NodeId id : cluster.ids()) {
      if (!cluster.isGone(id)) {
        if (!cluster.node(id).isUp()) {
          cluster.start(id);
        }
        cluster.declare(id, Member.State.UP);
      }
    }
    cluster.wantVoters(voters);
    simulation.run(1_500);
    // A group that has lost its majority since would need a backup.
    cluster.damage().removeIf(range -> cluster.leaderOf(range) == null);
    await("every range is where it should be", goal::isReached);
  }

  private void await(String what, BooleanSupplier condition) {
    try {
      simulation.runUntil(what, condition, PATIENCE_MILLIS);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + goal.where(), e);
    }
  }

  private void theEnd() {
    awaitAnswers();
    simulation.run(SimClient.REGISTER_AGAIN_AFTER.toMillis() + 1);
    int failedBefore = failures();
    clients.forEach(SimClient::lastWord);
    awaitAnswers();
    assertThat(failures() - failedBefore)
        .as("seed %s: failures in peace", simulation.seed())
        .isZero();
    await("all replicas have the same", goal::areEqual);
    clients.forEach(client -> counts.acknowledgements += client.acknowledgements());
    counts.wishes += cluster.ranges().stream().filter(this::beganByWish).count();
    counts.sizeSplits += cluster.ranges().stream().filter(this::beganBySize).count();
  }

  /** Nobody has asked for it, and it was not there from the beginning. */
  private boolean beganBySize(RangeDescriptor range) {
    byte[] start = range.interval().start();
    return !wishes.wanted(start)
        && !trouble.asked(new String(start, StandardCharsets.UTF_8))
        && cluster.firstRanges().stream()
            .noneMatch(first -> Arrays.equals(first.interval().start(), start));
  }

  /** Nobody but the load of its parent has asked for it. */
  private boolean beganByWish(RangeDescriptor range) {
    byte[] start = range.interval().start();
    return wishes.wanted(start) && !trouble.asked(new String(start, StandardCharsets.UTF_8));
  }

  private void awaitAnswers() {
    simulation.runUntil(
        "every client has its answers",
        () -> clients.stream().allMatch(client -> client.waiting() == 0),
        PATIENCE_MILLIS);
  }

  private int failures() {
    return clients.stream().mapToInt(SimClient::failures).sum();
  }

  /** A node removes its replica for ever: the group must not have it any more. */
  private void removed(NodeId node, GroupId group) {
    ReplicaStatus leader = cluster.leaderOf(StoredShapes.idOf(group));
    if (leader != null && !cluster.isPartOfAnother(leader.descriptor().id())) {
      assertThat(leader.voters().contains(node) || leader.learners().contains(node))
          .as("%s removes its replica of %s, which the group counts on", node, group)
          .isFalse();
      counts.removals++;
      counts.rebuilds += cluster.damage().remove(leader.descriptor().id(), node) ? 1 : 0;
    } else {
      cluster.damage().remove(StoredShapes.idOf(group), node);
    }
  }
}
