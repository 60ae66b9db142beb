package io.fjordmq.cluster.consensus.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.RecordingState;
import io.fjordmq.cluster.consensus.RecordingState.RecordingProposal;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.testing.Seeds;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The simulated groups keep Raft's guarantees under faults, and the same seed gives the same run;
 * {@link Seeds} determines the number of runs.
 */
class SimClusterTest {
  private static final GroupId GROUP = new GroupId("group");
  private static final List<NodeId> NODES =
      List.of(new NodeId("a"), new NodeId("b"), new NodeId("c"), new NodeId("d"));

  @ParameterizedTest
  @Tag(Seeds.TAG)
  @ValueSource(ints = {1, 3})
  void shouldKeepAcknowledgedEntriesInOrderWhenNodesAndNetworkFail(int voters) {
    Seeds seeds = Seeds.withDefaultCount(200);
    Run total = new Run(0, voters);
    seeds.run(
        seed -> {
          Run run = new Run(seed, voters);
          run.execute();
          total.add(run);
        });
    if (seeds.areEnough()) { // the runs encountered the intended faults
      total.assertEncounteredFaults(seeds.count());
    }
  }

  @Test
  void shouldDetectDisksThatLoseSyncedWrites() {
    AssertionError found =
        Seeds.find(
            "an fsync that does nothing",
            20,
            seed -> {
              Run run = new Run(seed, 1);
              run.syncsAreLost = true;
              run.execute();
            });
    assertThat(found).hasMessageContaining("committed another entry");
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8})
  void shouldRepeatARunWhenTheSeedIsTheSame(long seed) {
    Run first = new Run(seed, 3);
    first.execute();
    Run second = new Run(seed, 3);
    second.execute();
    assertThat(second.history).isEqualTo(first.history);
  }

  /** One seed: a workload with faults, then a fault-free phase in which all replicas must agree. */
  private static final class Run {
    final Simulation simulation;
    final List<NodeId> members;
    final List<NodeId> nodes;
    final Map<NodeId, RecordingState.Disk> disks = new HashMap<>();
    final Map<NodeId, RecordingState> states = new HashMap<>();
    final Map<NodeId, Consensus> openReplicas = new HashMap<>();
    final List<RecordingProposal> proposals = new ArrayList<>();
    final List<String> history = new ArrayList<>();
    boolean syncsAreLost;
    long acknowledged;
    long unknown;
    long appliedDespiteUnknownOutcome;
    long leaders;
    long installs;
    long replicaChanges;
    long halts;

    Run(long seed, int voters) {
      simulation = new Simulation(seed);
      members = NODES.subList(0, voters);
      nodes = voters == 1 ? members : NODES;
    }

    void execute() {
      try (SimCluster cluster = new SimCluster(simulation)) {
        cluster.network().setFaults(SimNetwork.Faults.UNRELIABLE);
        for (NodeId node : nodes) {
          cluster.disk(node).setLosingSyncs(syncsAreLost);
          cluster.start(node).create(GROUP, ReplicaSet.ofVoters(members.toArray(NodeId[]::new)));
          open(cluster, node);
        }
        for (int i = 0; i < 120; i++) {
          for (int j = 0; j < 3; j++) {
            propose();
          }
          injectFault(cluster);
          simulation.run(simulation.between(1, 120));
        }
        awaitAgreement(cluster);
      } catch (ConsensusException e) {
        throw new AssertionError("seed " + simulation.seed(), e);
      }
    }

    private void open(SimCluster cluster, NodeId node) {
      RecordingState.Disk disk = disks.computeIfAbsent(node, n -> new RecordingState.Disk());
      RecordingState state = new RecordingState(disk);
      states.put(node, state);
      openReplicas.put(node, cluster.host(node).open(GROUP, state));
    }

    private void propose() {
      for (NodeId node : NODES) {
        Consensus consensus = openReplicas.get(node);
        if (consensus != null && consensus.leadership().leading()) {
          RecordingProposal entry = new RecordingProposal("e" + proposals.size());
          proposals.add(entry);
          consensus.propose(consensus.leadership().term(), entry.bytes(), entry);
        }
      }
    }

    private void injectFault(SimCluster cluster) {
      NodeId node = nodes.get((int) simulation.between(0, nodes.size() - 1));
      if (cluster.running(node)) {
        reopenIfHalted(cluster, node);
      }
      if (simulation.chance(5) && cluster.running(node)) {
        logState("crash " + node);
        count(state(node));
        cluster.crash(node);
        openReplicas.remove(node);
      } else if (!cluster.running(node) && simulation.chance(40)) {
        cluster.start(node);
        open(cluster, node);
      } else if (simulation.chance(5)) {
        cluster.network().partition(NODES, List.of(node));
      } else if (simulation.chance(5)) {
        cluster.network().cut(node, nodes.get((int) simulation.between(0, nodes.size() - 1)));
      } else if (simulation.chance(20)) {
        cluster.network().heal();
      }
      Consensus consensus = openReplicas.get(node);
      if (consensus != null) {
        injectFault(cluster.host(node), consensus);
      }
    }

    private void injectFault(SimHost host, Consensus consensus) {
      if (simulation.chance(10)) {
        consensus.checkpoint();
      } else if (simulation.chance(8)) {
        logState("depose " + host.node());
        host.depose(GROUP);
      } else if (simulation.chance(2)) {
        logState("halt " + host.node());
        host.halt(GROUP, new IOException("simulated fault"));
      } else if (simulation.chance(4)) {
        consensus.transferLeadership(nodes.get((int) simulation.between(0, nodes.size() - 1)));
      } else if (members.size() > 1 && simulation.chance(6)) {
        NodeId removed = NODES.get((int) simulation.between(0, 3));
        List<NodeId> rest = NODES.stream().filter(n -> !n.equals(removed)).toList();
        Set<NodeId> learners = simulation.chance(50) ? Set.of(removed) : Set.of();
        consensus
            .changeReplicas(new ReplicaSet(Set.copyOf(rest), learners))
            .thenRun(() -> replicaChanges++);
      }
    }

    private void reopenIfHalted(SimCluster cluster, NodeId node) {
      if (cluster.host(node).running().isEmpty()) {
        halts++;
        count(state(node));
        Objects.requireNonNull(openReplicas.get(node)).close();
        open(cluster, node);
      }
    }

    private void awaitAgreement(SimCluster cluster) {
      cluster.network().heal();
      cluster.network().setFaults(SimNetwork.Faults.NONE);
      for (NodeId node : nodes) {
        if (!cluster.running(node)) {
          cluster.start(node);
          open(cluster, node);
        } else {
          reopenIfHalted(cluster, node);
        }
      }
      simulation.runUntil("a replica leads", () -> leader() != null, 20_000);
      simulation.run(2000);
      RecordingProposal last = new RecordingProposal("last");
      proposals.add(last);
      Consensus leader = Objects.requireNonNull(leader());
      leader.propose(leader.leadership().term(), last.bytes(), last);
      ReplicaSet replicas = leader.status().replicas();
      simulation.runUntil(
          "all members have applied the last entry",
          () ->
              states.entrySet().stream()
                  .filter(
                      e ->
                          replicas.voters().contains(e.getKey())
                              || replicas.learners().contains(e.getKey()))
                  .allMatch(e -> e.getValue().applied().contains("last")),
          20_000);
      check(state(leader.leadership().leader()).applied());
    }

    private RecordingState state(@Nullable NodeId node) {
      return Objects.requireNonNull(states.get(node));
    }

    private @Nullable Consensus leader() {
      return nodes.stream()
          .map(openReplicas::get)
          .filter(c -> c != null && c.leadership().leading())
          .findFirst()
          .orElse(null);
    }

    private void check(List<String> agreed) {
      String seed = "seed " + simulation.seed();
      assertThat(agreed).as(seed).doesNotHaveDuplicates();
      for (RecordingState state : states.values()) {
        List<String> applied = state.applied();
        assertThat(agreed.subList(0, applied.size())).as(seed).isEqualTo(applied);
        count(state);
      }
      for (RecordingProposal one : proposals) {
        assertThat(one.outcomes()).as(seed + ": " + one.value()).hasSizeLessThanOrEqualTo(1);
        if (one.outcomes().contains("APPLIED")) {
          assertThat(agreed).as(seed).contains(one.value());
          acknowledged++;
        } else if (one.outcomes().contains("OUTCOME_UNKNOWN")) {
          unknown++;
          appliedDespiteUnknownOutcome += agreed.contains(one.value()) ? 1 : 0;
        } else if (!one.outcomes().isEmpty()) {
          assertThat(agreed).as(seed + ": " + one.outcomes()).doesNotContain(one.value());
        }
      }
      logState("agreed on " + agreed.hashCode() + " after " + simulation.executedEvents());
    }

    private void count(RecordingState state) {
      leaders += state.events().stream().filter(e -> e.startsWith("leading")).count();
      installs += state.events().stream().filter(e -> e.equals("installed")).count();
    }

    private void logState(String what) {
      history.add(simulation.now() + " " + what);
    }

    void assertEncounteredFaults(long seeds) {
      assertThat(acknowledged).isGreaterThan(10 * seeds);
      assertThat(leaders).isGreaterThan(2 * seeds);
      assertThat(halts).isGreaterThan(seeds / 2);
      assertThat(unknown).isGreaterThan(seeds / 10);
      if (members.size() > 1) {
        assertThat(appliedDespiteUnknownOutcome).isGreaterThan(seeds / 20);
        assertThat(installs).isGreaterThan(seeds / 20);
        assertThat(replicaChanges).isGreaterThan(seeds / 20);
      }
    }

    void add(Run other) {
      acknowledged += other.acknowledged;
      unknown += other.unknown;
      appliedDespiteUnknownOutcome += other.appliedDespiteUnknownOutcome;
      leaders += other.leaders;
      installs += other.installs;
      replicaChanges += other.replicaChanges;
      halts += other.halts;
    }
  }
}
