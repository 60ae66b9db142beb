package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.testing.Simulation;
import java.util.List;

/**
 * Nodes are replaced by newer and older versions while they crash and are partitioned, and
 * operators raise the level. No node may ever serve that does not support the level of the cluster.
 */
final class UpgradeScenario {
  private static final int ROUNDS = 250;
  private static final SupportedLevels LAST = new SupportedLevels(1, 3);
  private static final List<SupportedLevels> VERSIONS =
      List.of(
          SupportedLevels.FIRST_ONLY, new SupportedLevels(1, 2), new SupportedLevels(2, 3), LAST);

  private final SimMembers members;
  private final Simulation simulation;
  private final SimCluster cluster;
  private final List<NodeId> nodes;
  private final SimVersions versions;
  private int refusedStarts;
  private int highestLevel = 1;
  private int levelBeforeTheEnd;

  UpgradeScenario(
      SimMembers members,
      Simulation simulation,
      SimCluster cluster,
      List<NodeId> nodes,
      SimVersions versions) {
    this.members = members;
    this.simulation = simulation;
    this.cluster = cluster;
    this.nodes = nodes;
    this.versions = versions;
  }

  /** The number of starts that were refused because of the version. */
  int refusedStarts() {
    return refusedStarts;
  }

  /** The level before all nodes were upgraded to the last version. */
  int levelBeforeTheEnd() {
    return levelBeforeTheEnd;
  }

  void run() {
    simulation.afterEveryEvent(this::check);
    cluster.network().setFaults(SimNetwork.Faults.UNRELIABLE);
    members.start(nodes.get(0));
    for (int i = 0; i < ROUNDS; i++) {
      replaceVersions();
      members.injectFault();
      if (simulation.chance(2)) {
        raise();
      }
      simulation.run(simulation.between(1, 600));
      stopRefused();
    }
    levelBeforeTheEnd = highestLevel;
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    cluster.network().heal();
    upgradeAll();
    simulation.runUntil("every node serves", members::allServe, SimMembers.CALM_MILLIS);
    simulation.runUntil("the level is raised", this::isRaised, SimMembers.CALM_MILLIS);
  }

  private void replaceVersions() {
    for (int i = 0; i < nodes.size(); i++) {
      if (!cluster.running(nodes.get(i)) && simulation.chance(30)) {
        versions.set(i, VERSIONS.get((int) simulation.between(0, VERSIONS.size() - 1)));
      }
    }
  }

  private void raise() {
    List<ClusterMembership> running = members.memberships();
    if (!running.isEmpty()) {
      running.get((int) simulation.between(0, running.size() - 1)).raiseLevel(0);
    }
  }

  /** A process whose registration is refused ends. */
  private void stopRefused() {
    for (ClusterMembership membership : members.memberships()) {
      String reason = membership.notServingReason();
      if (reason != null && reason.startsWith("this version of FjordMQ supports")) {
        refusedStarts++;
        members.crash(membership.self());
      }
    }
  }

  private void upgradeAll() {
    for (int i = 0; i < nodes.size(); i++) {
      NodeId node = nodes.get(i);
      if (cluster.running(node)) {
        members.crash(node);
      }
      versions.set(i, LAST);
      members.start(node);
      simulation.run(simulation.between(1, 3_000));
    }
    List.copyOf(nodes).forEach(members::startUnlessRunning);
  }

  private boolean isRaised() {
    return members.memberships().stream()
        .filter(ClusterMembership::isServing)
        .allMatch(membership -> membership.level().current() == LAST.highest());
  }

  private void check() {
    for (ClusterMembership membership : members.memberships()) {
      highestLevel = Math.max(highestLevel, membership.level().current());
    }
    for (ClusterMembership membership : members.memberships()) {
      SupportedLevels levels = versions.get(nodes.indexOf(membership.self()));
      if (membership.isServing() && !levels.contains(highestLevel)) {
        throw new AssertionError(
            "%s serves and supports %s, but the cluster is at level %d"
                .formatted(membership.self(), levels, highestLevel));
      }
    }
  }
}
