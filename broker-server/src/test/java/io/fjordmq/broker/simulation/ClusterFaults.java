package io.fjordmq.broker.simulation;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Injects faults into the nodes of a cluster and the network between them. */
final class ClusterFaults {
  private static final int MAX_VOTERS = 5;
  private static final int USUAL_VOTERS = 3;

  /** Two of three nodes continue without the third. */
  private static final int MIN_VOTERS = 3;

  private static final long MAX_SET_MILLIS = 86_400_000;

  private final Simulation simulation;
  private final SimClusterNodes nodes;
  private final Ledger ledger;
  private long merges;

  ClusterFaults(Simulation simulation, SimClusterNodes nodes, Ledger ledger) {
    this.simulation = simulation;
    this.nodes = nodes;
    this.ledger = ledger;
  }

  void enableNetworkFaults() {
    nodes.network().setFaults(new SimNetwork.Faults(1, 1, 0, 10, 2));
  }

  /** Injects a few random faults; called periodically. */
  void injectRandomFaults() {
    ClusterMachine machine = nodes.pick(nodes.machines());
    SimNodeProcess life = machine.nodeProcess();
    if (life == null) {
      if (simulation.chance(60)) {
        nodes.start(machine);
      }
    } else {
      inject(machine, life);
    }
    if (simulation.chance(8)) {
      nodes.setVoters((int) simulation.between(1, MAX_VOTERS));
    }
    injectNetworkFault(machine.id());
  }

  private void inject(ClusterMachine machine, SimNodeProcess life) {
    double dice = simulation.random().nextDouble() * 100;
    if (dice < 9) {
      nodes.crash(machine);
    } else if (dice < 18) {
      long millis = simulation.between(100, 4_000);
      ledger.note(machine.id() + " is paused for " + millis + " ms");
      life.process().pause(millis);
    } else if (dice < 26) {
      loseLeader(life);
    } else if (dice < 34) {
      ledger.note(machine.id() + " checkpoints its ranges");
      life.ranges().store().checkpoint();
    } else if (dice < 40) {
      boolean draining = simulation.chance(50);
      ledger.note(machine.id() + (draining ? " starts draining" : " stops draining"));
      life.membership().setDraining(draining);
    } else if (dice < 46) {
      splitRandomRange();
    } else if (dice < 56) {
      mergeRandomRange();
    } else if (dice < 59) {
      keepMetadataLeaderless(simulation.between(500, 3_000));
    } else if (dice < 67) {
      long millis = simulation.between(-MAX_SET_MILLIS, MAX_SET_MILLIS);
      ledger.note(machine.id() + " has its wall clock set by " + millis + " ms");
      life.ranges().host().machine().shiftClock(millis);
    } else if (dice < 71) {
      long millis = simulation.between(100, 4_000);
      ledger.note("the machine of " + machine.id() + " is suspended for " + millis + " ms");
      life.ranges().host().machine().suspend(life.process(), millis);
    } else if (dice < 76) {
      damageReplica(life);
    }
  }

  /**
   * Breaks a replica permanently: one that its group does not need, and at most one of a range at a
   * time.
   */
  private void damageReplica(SimNodeProcess life) {
    List<ReplicaStatus> held = life.ranges().store().status();
    if (held.isEmpty()) {
      return;
    }
    ReplicaStatus replica = nodes.pick(held);
    RangeId range = replica.descriptor().id();
    ReplicaStatus leader = nodes.leader(range);
    if (leader == null
        || (leader.voters().contains(life.id()) && leader.voters().size() < MIN_VOTERS)
        || nodes.damaged().isDamaged(range)) {
      return;
    }
    String reason = nodes.damaged().add(range, life.id());
    ledger.note(reason);
    GroupId group = replica.descriptor().group();
    if (life.ranges().host().running().contains(group)) {
      life.ranges().host().halt(group, new IOException(reason));
    }
  }

  /**
   * A group that has lost its majority since, or would lose it with the replica, needs an operator
   * and a backup; a range that has become part of another one needs nothing.
   */
  void repairUnrecoverableReplicas() {
    nodes
        .damaged()
        .repairIf(
            (name, node) -> {
              RangeId range = SimStores.range(name);
              ReplicaStatus leader = nodes.leader(range);
              return leader == null
                  || (leader.voters().contains(node) && leader.voters().size() < MIN_VOTERS);
            });
  }

  /**
   * Merges a random range with the one that follows it; only the node that leads the metadata
   * accepts the request.
   *
   * @return completes when the merge is done, canceled, or no node has accepted it
   */
  CompletableFuture<Void> mergeRandomRange() {
    String store = nodes.pick(SimStores.NAMES);
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (SimNodeProcess life : nodes.running()) {
      List<RangeDescriptor> ranges = life.directory().ranges(store);
      if (ranges.size() > 1) {
        RangeId left = nodes.pick(ranges.subList(0, ranges.size() - 1)).id();
        asked.add(
            life.merge(left)
                .thenRun(
                    () -> {
                      merges++;
                      ledger.note(left + " has merged the range that followed");
                    }));
      }
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new));
  }

  /** Requested merges that were completed. */
  long completedMerges() {
    return merges;
  }

  /** Splits a range of any store at a random key; only the metadata leader accepts the request. */
  private void splitRandomRange() {
    String store = nodes.pick(SimStores.NAMES);
    byte[] key = {(byte) simulation.between(0, 255), (byte) simulation.between(0, 255)};
    if (store.equals(InboxReplicas.STORE)) {
      key[0] &= 0x0f; // it has fewer buckets
    }
    for (SimNodeProcess life : nodes.running()) {
      for (RangeDescriptor range : life.directory().ranges(store)) {
        if (range.interval().contains(key)) {
          life.split(range.id(), key)
              .thenRun(() -> ledger.note(range.id() + " is split at " + Arrays.toString(key)));
        }
      }
    }
  }

  private void loseLeader(SimNodeProcess life) {
    List<GroupId> groups = life.ranges().host().running();
    if (!groups.isEmpty()) {
      GroupId group = nodes.pick(groups);
      ledger.note(group + " loses its leader if that is " + life.id());
      life.ranges().host().depose(group);
    }
  }

  private void injectNetworkFault(NodeId node) {
    List<NodeId> all = nodes.machines().stream().map(ClusterMachine::id).toList();
    double dice = simulation.random().nextDouble() * 100;
    if (dice < 8) {
      ledger.note(node + " is cut off");
      nodes.network().partition(all, List.of(node));
    } else if (dice < 15) {
      NodeId other = nodes.pick(all);
      ledger.note(node + " can no longer reach " + other);
      nodes.network().cut(node, other);
      if (simulation.chance(50)) {
        nodes.network().cut(other, node);
      }
    } else if (dice < 17) {
      List<NodeId> some = all.stream().filter(id -> simulation.chance(50)).toList();
      ledger.note(some + " are cut off from the others");
      nodes.network().partition(all, some);
    } else if (dice < 50) {
      ledger.note("the network is healed");
      nodes.network().heal();
    }
  }

  /** Ends all faults and starts all nodes. */
  void endFaults() {
    ledger.note("all faults end");
    nodes.network().heal();
    nodes.network().setFaults(SimNetwork.Faults.NONE);
    nodes.setVoters(USUAL_VOTERS);
    nodes.allowSplits(false);
    simulation.runUntil("every node runs", this::startAll, 60_000);
  }

  private boolean startAll() {
    for (ClusterMachine machine : nodes.machines()) {
      if (machine.nodeProcess() == null) {
        nodes.start(machine);
      }
    }
    return nodes.machines().stream().allMatch(machine -> machine.nodeProcess() != null);
  }

  /** The cluster must clear the draining state of a node, in whichever incarnation. */
  void undrain() {
    nodes.running().forEach(life -> Objects.requireNonNull(life).membership().setDraining(false));
  }

  /** During this time every metadata leader loses its term before it grants a lease. */
  void keepMetadataLeaderless(long millis) {
    ledger.note("the metadata have no leader for " + millis + " ms");
    long end = simulation.now() + millis;
    while (simulation.now() < end) {
      for (SimNodeProcess life : nodes.running()) {
        SimHost host = life.ranges().host();
        if (host.running().contains(MetadataGroup.GROUP) && host.leads(MetadataGroup.GROUP)) {
          host.depose(MetadataGroup.GROUP);
        }
      }
      simulation.run(1);
    }
  }

  /** All ranges lose their leader for a while, then elect one in a new term. */
  void loseLeaders() {
    ledger.note("all ranges lose their leaders");
    for (SimNodeProcess life : nodes.running()) {
      life.ranges().host().running().forEach(life.ranges().host()::depose);
    }
  }
}
