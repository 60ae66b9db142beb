package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.testing.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Scenarios with clock faults of {@link SimMembers}, and checks of cluster time. */
final class ClockFaultScenarios {
  private static final long CALM_MILLIS = SimMembers.CALM_MILLIS;
  private static final long MAX_SUSPENSION_MILLIS = 8_000;
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
  private static final long MAX_ADVANCE_MILLIS =
      MembershipSettings.DEFAULT.maxClockAdvance().toMillis();

  /** Cluster time is saved this often, so a crash loses at most this much of it. */
  private static final long SAVE_MILLIS = 60_000;

  private final SimMembers members;
  private final Simulation simulation;
  private final SimCluster cluster;
  private final List<NodeId> nodes;
  private final Map<NodeId, Long> lastFaultMillis = new HashMap<>();

  ClockFaultScenarios(
      SimMembers members, Simulation simulation, SimCluster cluster, List<NodeId> nodes) {
    this.members = members;
    this.simulation = simulation;
    this.cluster = cluster;
    this.nodes = nodes;
  }

  /** Starts checking after every event that no node stamps a wrong time. */
  private ClusterTimeInvariant begin(SimNetwork.Faults faults) {
    cluster.network().setFaults(faults);
    nodes.forEach(
        node -> {
          members.start(node);
          simulation.run(1_000);
        });
    awaitAll();
    ClusterTimeInvariant time = new ClusterTimeInvariant(simulation.clock());
    simulation.afterEveryEvent(() -> time.check(members.memberships()));
    return time;
  }

  private void awaitAll() {
    simulation.runUntil("every node serves", members::allServe, CALM_MILLIS);
  }

  /**
   * Clocks are set and machines suspended, of one node or of all, while leaders change and nodes
   * crash; all clocks are correct in the end.
   */
  void runWithClockJumps() {
    ClusterTimeInvariant time = begin(SimNetwork.Faults.UNRELIABLE);
    for (int i = 0; i < 200; i++) {
      if (simulation.chance(60)) {
        time.allowLag(injectFault());
      } else if (members.allServe() && simulation.chance(30)) {
        members.crash(nodes.get((int) simulation.between(0, nodes.size() - 1)));
      } else {
        nodes.forEach(members::startUnlessRunning);
      }
      simulation.run(simulation.between(1, 2_000));
    }
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    nodes.forEach(members::startUnlessRunning);
    nodes.forEach(node -> cluster.machine(node).correctClock());
    awaitAll();
    time.recordInitialLag(members.memberships());
    simulation.run(CALM_MILLIS);
    time.assertProgress(members.memberships(), CALM_MILLIS);
  }

  /** Returns the time for which cluster time may have stopped as a result. */
  private long injectFault() {
    boolean all = simulation.chance(20);
    NodeId one = nodes.get((int) simulation.between(0, nodes.size() - 1));
    List<NodeId> affected =
        nodes.stream().filter(node -> (all || node.equals(one)) && isUnaffected(node)).toList();
    affected.forEach(node -> lastFaultMillis.put(node, simulation.now()));
    if (simulation.chance(60)) {
      long most = simulation.chance(50) ? DAY_MILLIS : 5_000;
      long jump = simulation.between(-most, most);
      affected.forEach(node -> cluster.machine(node).shiftClock(jump));
      return 2_000; // until the next renewals, each of which may have to be repeated
    }
    long suspendedMillis = simulation.between(100, MAX_SUSPENSION_MILLIS);
    affected.forEach(
        node -> {
          SimProcess process = members.process(node);
          if (process != null) {
            cluster.machine(node).suspend(process, suspendedMillis);
          }
        });
    return suspendedMillis;
  }

  /** Setting a clock back soon after a suspension could hide the suspension from the node. */
  private boolean isUnaffected(NodeId node) {
    Long last = lastFaultMillis.get(node);
    return last == null || simulation.now() - last > MAX_SUSPENSION_MILLIS + 4_000;
  }

  /**
   * All nodes restart at once, with some or all clocks far ahead; while cluster time is behind, the
   * leader changes, or clocks are corrected. No node stamps a time that is ahead.
   */
  void runWithFullRestarts() {
    ClusterTimeInvariant time = begin(SimNetwork.Faults.UNRELIABLE);
    for (int i = 0; i < 8; i++) {
      simulation.run(simulation.between(2_000, 70_000));
      nodes.forEach(members::crash);
      long stopped = simulation.between(0, 10_000);
      time.allowLag(stopped + SAVE_MILLIS);
      simulation.run(stopped);
      List<NodeId> wrong = new ArrayList<>(nodes);
      Collections.shuffle(wrong, simulation.random());
      wrong.subList(0, (int) simulation.between(0, nodes.size())).forEach(this::setAhead);
      nodes.forEach(
          node -> {
            members.startUnlessRunning(node);
            simulation.run(simulation.between(0, 4_000));
          });
      awaitAll();
      if (simulation.chance(50)) {
        members.crash(nodes.get((int) simulation.between(0, nodes.size() - 1)));
        simulation.run(simulation.between(0, 5_000));
      }
      if (simulation.chance(30)) {
        nodes.forEach(node -> cluster.machine(node).correctClock());
      }
      nodes.forEach(members::startUnlessRunning);
      awaitAll();
    }
  }

  private void setAhead(NodeId node) {
    cluster.machine(node).correctClock();
    long least = MAX_ADVANCE_MILLIS + SAVE_MILLIS;
    cluster.machine(node).shiftClock(simulation.between(least, least + 30 * DAY_MILLIS));
  }

  /**
   * All nodes stop for a day and the operator accepts the clocks; then cluster time is correct on
   * all nodes, and stays so when all crash at once soon after.
   */
  void runLongShutdown() {
    ClusterTimeInvariant time = begin(SimNetwork.Faults.NONE);
    nodes.forEach(members::crash);
    time.allowLag(DAY_MILLIS + SAVE_MILLIS);
    simulation.run(DAY_MILLIS);
    nodes.forEach(members::startUnlessRunning);
    awaitAll();
    if (maxLagMillis() < DAY_MILLIS) {
      throw new AssertionError(
          "cluster time advanced while the cluster was stopped: " + maxLagMillis());
    }
    NodeId target = nodes.get((int) simulation.between(0, nodes.size() - 1));
    CompletableFuture<Duration> advanced = members.membership(target).acceptClock();
    simulation.runUntil("the clocks are accepted", advanced::isDone, CALM_MILLIS);
    if (advanced.join().toMillis() < DAY_MILLIS) {
      throw new AssertionError("cluster time advanced only by " + advanced.join());
    }
    simulation.run(2_000);
    requireCorrectTime();
    nodes.forEach(members::crash);
    nodes.forEach(members::startUnlessRunning);
    awaitAll();
    requireCorrectTime();
  }

  private void requireCorrectTime() {
    if (maxLagMillis() > 1_000) {
      throw new AssertionError("cluster time is behind by " + maxLagMillis());
    }
  }

  private long maxLagMillis() {
    return members.memberships().stream()
        .mapToLong(node -> simulation.clock().millis() - node.clock().stampMillis())
        .max()
        .orElseThrow();
  }
}
