package io.fjordmq.broker.simulation;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.membership.ClusterClock;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.sim.RandomSplitStrategy;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The nodes of a cluster across incarnations; clients connect to any of them. */
final class SimClusterNodes implements Brokers, AutoCloseable {
  private static final long START_MILLIS = 20_000;

  private final Simulation simulation;
  private final Ledger ledger;
  private final SimCluster cluster;
  private final LoopbackPeers peers;
  private final List<ClusterMachine> machines = new ArrayList<>();
  private final Set<ClusterMachine> joined = new HashSet<>();
  private final RandomSplitStrategy splitStrategy;
  private final DamagedReplicas damaged = new DamagedReplicas();
  private final boolean tolerateSlowReplicas;
  private final long graceMillis;
  private int voters = 3;

  /** How far cluster time lags. */
  private long clusterTimeLagMillis;

  /**
   * @param size maximum number of nodes; the run starts with one
   */
  SimClusterNodes(
      Simulation simulation, int size, Path installs, ClusterDefect defect, Ledger ledger) {
    this.simulation = simulation;
    this.ledger = ledger;
    this.cluster = new SimCluster(simulation);
    this.peers = LoopbackPeers.simulated(cluster.network());
    ledger.setManyNodes();
    ClusterSettings settings = ClusterSettings.draw(simulation);
    this.splitStrategy = settings.wishes();
    this.graceMillis = settings.broker().inboxes().willGrace().toMillis();
    ledger.setExcusesClients(graceMillis > 0);
    this.tolerateSlowReplicas =
        settings.broker().client().deadline().toMillis()
            >= SimSettings.SLOW_REPLICA_DEADLINE_MILLIS;
    for (int i = 0; i < size; i++) {
      machines.add(
          new ClusterMachine(
              cluster,
              peers,
              new NodeId("node" + i),
              installs,
              settings,
              defect,
              damaged,
              () -> ClusterSettings.stores(voters)));
    }
  }

  /** Whether brokers wait for slow replicas instead of closing a client's connection. */
  boolean tolerateSlowReplicas() {
    return tolerateSlowReplicas;
  }

  /** How long nodes delay the wills of clients whose node has failed. */
  long graceMillis() {
    return graceMillis;
  }

  // ---- what clients see

  @Override
  public @Nullable Acceptor acceptor() {
    List<SimNodeProcess> open =
        running().stream().filter(life -> life.clientServices() != null).toList();
    return open.isEmpty() ? null : pick(open).clientServices();
  }

  @Override
  public Moment now() {
    // Cluster time is corrected by half a second in a thousand at most. What it lost while a
    // machine that led the metadata was suspended, it regains when all nodes start again.
    updateLostTime();
    return new Moment(
        simulation.now(),
        simulation.now() / 1_000 - clusterTimeLagMillis,
        ledger.brokerIncarnation());
  }

  /**
   * While no node knows the time, the last known value counts. Nodes can differ by seconds after a
   * partition; the one that is ahead may lead the range in question.
   */
  private void updateLostTime() {
    running().stream()
        .mapToLong(life -> life.membership().clock().stampMillis())
        .filter(stamp -> stamp != ClusterClock.UNKNOWN)
        .max()
        .ifPresent(
            stamp -> clusterTimeLagMillis = Math.max(0, simulation.clock().millis() - stamp));
  }

  /** Whether nodes may request splits of their ranges. */
  void allowSplits(boolean allowed) {
    splitStrategy.setPaused(!allowed);
  }

  // ---- who is there

  List<ClusterMachine> machines() {
    return machines;
  }

  /** In the order of their names. */
  List<SimNodeProcess> running() {
    return machines.stream().map(ClusterMachine::nodeProcess).filter(Objects::nonNull).toList();
  }

  /** Nodes that have been started at least once. */
  List<ClusterMachine> joined() {
    return machines.stream().filter(joined::contains).toList();
  }

  SimNetwork network() {
    return cluster.network();
  }

  DamagedReplicas damaged() {
    return damaged;
  }

  /** What the replica that leads a range in the latest term says; null if none does. */
  @Nullable ReplicaStatus leader(RangeId range) {
    ReplicaStatus latest = null;
    for (ClusterMachine machine : machines) {
      ReplicaStatus replica = machine.nodeProcess() == null ? null : machine.ranges().status(range);
      if (replica != null
          && replica.leading()
          && (latest == null || term(replica) > term(latest))) {
        latest = replica;
      }
    }
    return latest;
  }

  private static long term(ReplicaStatus replica) {
    return replica.group() == null ? 0 : replica.group().leadership().term();
  }

  LoopbackPeers peers() {
    return peers;
  }

  int voters() {
    return voters;
  }

  void setVoters(int wanted) {
    ledger.note("ranges now have a target of " + wanted + " voters");
    voters = wanted;
  }

  <T> T pick(List<T> from) {
    return from.get((int) simulation.between(0, from.size() - 1L));
  }

  // ---- what happens to them

  /** The first node creates the cluster and its ranges. */
  void bootstrap() {
    ClusterMachine first = machines.get(0);
    start(first);
    SimNodeProcess life = Objects.requireNonNull(first.nodeProcess());
    try {
      List<RangeDescriptor> initial = first.createInitialRanges();
      simulation.runUntil(
          "the metadata have a leader", () -> life.metadata().leadership().leading(), START_MILLIS);
      CompletableFuture<WriteResult> written =
          life.membership().write(RangeDirectory.initialChanges(initial));
      simulation.runUntil("the ranges are published", written::isDone, START_MILLIS);
      written.join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a machine that is down, if somebody tells it who holds the metadata. */
  void start(ClusterMachine machine) {
    ReplicaSet members = knownMetadataReplicas(machine);
    if (members == null) {
      return;
    }
    try {
      ledger.note(machine.id() + " starts");
      joined.add(machine);
      machine.start(members);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ConsensusException e) {
      throw new AssertionError(machine.id() + " does not start", e);
    }
  }

  /** As whoever a newcomer asks knows; it is not asked again later. */
  private @Nullable ReplicaSet knownMetadataReplicas(ClusterMachine machine) {
    if (joined.contains(machine) || joined.isEmpty()) {
      return ReplicaSet.ofVoters(machine.id());
    }
    for (SimNodeProcess seed : running()) {
      ReplicaSet replicas = seed.metadata().status().replicas();
      if (!replicas.learners().contains(machine.id())
          && !replicas.voters().contains(machine.id())) {
        return replicas;
      }
    }
    return null;
  }

  void crash(ClusterMachine machine) {
    ledger.note(machine.id() + " crashes");
    machine.crash();
    ledger.setBrokerIncarnation(ledger.brokerIncarnation() + 1);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
