package io.fjordmq.cluster.consensus;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.RecordingState.RecordingProposal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * The contract that every implementation of {@link Consensus} fulfills. The layers above are tested
 * on the simulated implementation and run on sofa-jraft; these tests show that both behave alike.
 */
public abstract class ConsensusContract {
  private static final GroupId GROUP = new GroupId("group");
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final NodeId D = new NodeId("d");
  private static final List<NodeId> THREE = List.of(A, B, C);

  private final Map<NodeId, RecordingState.Disk> disks = new HashMap<>();
  private final Map<NodeId, RecordingState> states = new HashMap<>();
  private final Map<NodeId, Consensus> openReplicas = new HashMap<>();
  private final Map<NodeId, ConsensusHost> hosts = new HashMap<>();

  /** Starts a node with the contents of its disk. */
  public abstract ConsensusHost start(NodeId node) throws Exception;

  /** Stops a running node. */
  public abstract void stop(NodeId node);

  /** Lets time pass until the condition holds; fails if it does not hold in a reasonable time. */
  public abstract void advanceUntil(String what, BooleanSupplier condition);

  // ---- proposals

  @Test
  void shouldApplyInTheOrderOfTheCallsOnEveryReplica() throws Exception {
    openAll(THREE);
    List<RecordingProposal> proposal = new ArrayList<>();
    Consensus leader = leader();
    for (int i = 0; i < 100; i++) {
      proposal.add(propose(leader, "v" + i));
    }
    List<String> values = proposal.stream().map(RecordingProposal::value).toList();
    awaitEverywhere(values);
    assertThat(proposal).allMatch(one -> one.outcomes().equals(List.of("APPLIED")));
  }

  @Test
  void shouldNotAppendInADifferentTerm() throws Exception {
    openAll(List.of(A));
    Consensus leader = leader();
    RecordingProposal early = new RecordingProposal("early");
    leader.propose(leader.leadership().term() + 1, early.bytes(), early);
    RecordingProposal late = new RecordingProposal("late");
    leader.propose(leader.leadership().term() - 1, late.bytes(), late);
    advanceUntil(
        "both are refused", () -> !early.outcomes().isEmpty() && !late.outcomes().isEmpty());
    write("right");
    assertThat(early.outcomes()).containsExactly("NOT_LEADER");
    assertThat(late.outcomes()).containsExactly("NOT_LEADER");
    assertThat(state(A).applied()).containsExactly("right");
  }

  @Test
  void shouldNotAppendWhenTheReplicaFollows() throws Exception {
    openAll(THREE);
    write("a");
    RecordingProposal proposal = propose(follower(), "b");
    advanceUntil("refused", () -> !proposal.outcomes().isEmpty());
    assertThat(proposal.outcomes()).containsExactly("NOT_LEADER");
  }

  @Test
  void shouldCompleteEveryProposalOnceWhenTheLeaderCloses() throws Exception {
    openAll(THREE);
    Consensus leader = leader();
    List<RecordingProposal> proposal = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      proposal.add(propose(leader, "v" + i));
    }
    NodeId first = node(leader);
    stopNode(first);
    assertThat(proposal).allMatch(one -> one.outcomes().size() == 1);
    write("after");
    List<String> agreed = state(node(leader())).applied();
    for (RecordingProposal one : proposal) {
      if (one.outcomes().contains("APPLIED")) {
        assertThat(agreed).contains(one.value());
      } else if (!one.outcomes().contains("OUTCOME_UNKNOWN")) {
        assertThat(agreed).as("%s", one.outcomes()).doesNotContain(one.value());
      }
    }
  }

  @Test
  void shouldRefuseEverythingWhenClosed() throws Exception {
    openAll(List.of(A));
    Consensus consensus = leader();
    consensus.close();
    RecordingProposal proposal = propose(consensus, "late");
    advanceUntil("refused", () -> !proposal.outcomes().isEmpty());
    assertThat(proposal.outcomes()).containsExactly("CLOSED");
    assertThat(failure(consensus.readIndex())).isEqualTo(Kind.CLOSED);
    assertThat(consensus.leadership().leading()).isFalse();
  }

  // ---- leadership and reads

  @Test
  void shouldLeadOnlyAfterApplyingAllCommittedEntries() throws Exception {
    openAll(THREE);
    for (int i = 0; i < 20; i++) {
      write("v" + i);
    }
    List<String> before = state(node(leader())).applied();
    stopNode(node(leader()));
    Consensus next = leader();
    assertThat(state(node(next)).applied()).startsWith(before.toArray(String[]::new));
    assertThat(state(node(next)).events()).contains("leading " + next.leadership().term());
  }

  @Test
  void shouldReadCompletedWritesAtAnyReplica() throws Exception {
    openAll(THREE);
    write("a");
    for (NodeId node : THREE) {
      long index = readIndex(node);
      assertThat(state(node).appliedIndex()).isLessThanOrEqualTo(index);
      assertThat(state(node).applied()).containsExactly("a");
    }
  }

  @Test
  void shouldLeadOnTheTargetAfterATransfer() throws Exception {
    openAll(THREE);
    write("a");
    Consensus leader = leader();
    NodeId target = node(follower());
    await(leader.transferLeadership(target));
    advanceUntil("the target leads", () -> consensus(target).leadership().leading());
    advanceUntil("the previous leader knows", () -> !leader.leadership().leading());
    assertThat(state(node(leader)).events()).endsWith("following");
    write("b");
    awaitEverywhere(List.of("a", "b"));
  }

  // ---- restarts, checkpoints, snapshots

  @Test
  void shouldReplayEntriesMissingInTheStateWhenReopened() throws Exception {
    openAll(List.of(A));
    write("a");
    await(leader().checkpoint());
    write("b");
    stopNode(A);
    openReplica(A, List.of(A));
    assertThat(leader().leadership().leading()).isTrue();
    assertThat(state(A).applied()).containsExactly("a", "b");
    assertThat(state(A).events()).doesNotContain("halted", "installed");
  }

  @Test
  void shouldInstallASnapshotWhenTheLogsOfOthersAreTruncated() throws Exception {
    openAll(THREE);
    write("first");
    NodeId behind = node(follower());
    stopNode(behind);
    List<String> values = new ArrayList<>(List.of("first"));
    for (int i = 0; i < 30; i++) {
      values.add("v" + i);
      write("v" + i);
    }
    for (int round = 0; round < 3; round++) {
      values.add("r" + round);
      write("r" + round);
      for (Consensus consensus : List.copyOf(openReplicas.values())) {
        await(consensus.checkpoint());
      }
    }
    advanceUntil("the log is truncated", () -> leader().status().firstIndex() > 5);
    openReplica(behind, THREE);
    awaitEverywhere(values);
    assertThat(state(behind).events()).contains("installed");
    values.add("after");
    write("after");
    awaitEverywhere(values);
  }

  /** Internal entries, such as the first entry of a new leader, never reach the state. */
  @Test
  void shouldReopenAfterACheckpointRightAfterAnElection() throws Exception {
    openAll(List.of(A));
    write("a");
    stopNode(A);
    openReplica(A, List.of(A));
    await(leader().checkpoint());
    stopNode(A);
    openReplica(A, List.of(A));
    write("b");
    assertThat(state(A).applied()).containsExactly("a", "b");
    assertThat(state(A).events()).doesNotContain("halted");
  }

  @Test
  void shouldInstallASnapshotWhenTheLogEndsWithAnElection() throws Exception {
    openAll(THREE);
    write("first");
    NodeId behind = node(follower());
    stopNode(behind);
    write("second");
    for (int round = 0; round < 4; round++) {
      NodeId next = node(follower());
      await(leader().transferLeadership(next));
      advanceUntil(next + " leads", () -> consensus(next).leadership().leading());
      for (Consensus consensus : List.copyOf(openReplicas.values())) {
        await(consensus.checkpoint());
      }
    }
    advanceUntil("the log is truncated", () -> leader().status().firstIndex() > 4);
    openReplica(behind, THREE);
    awaitEverywhere(List.of("first", "second"));
    stopNode(behind);
    openReplica(behind, THREE);
    write("third");
    awaitEverywhere(List.of("first", "second", "third"));
  }

  // ---- members

  @Test
  void shouldAddANewMemberAndRemoveAnOldOneWhenReplicasChange() throws Exception {
    openAll(THREE);
    write("a");
    openReplica(D, THREE);
    NodeId leaving = node(follower());
    Set<NodeId> voters = new java.util.HashSet<>(THREE);
    voters.remove(leaving);
    voters.add(D);
    ReplicaSet target = new ReplicaSet(voters, Set.of());
    await(leader().changeReplicas(target));
    assertThat(leader().status().replicas()).isEqualTo(target);
    stopNode(leaving);
    write("b");
    awaitEverywhere(List.of("a", "b"));
  }

  @Test
  void shouldRefuseChangesWhenTheReplicaFollows() throws Exception {
    openAll(THREE);
    write("a");
    assertThat(failure(follower().changeReplicas(ReplicaSet.ofVoters(A))))
        .isEqualTo(Kind.NOT_LEADER);
    assertThat(failure(follower().transferLeadership(A))).isEqualTo(Kind.NOT_LEADER);
  }

  // ---- failures and housekeeping

  @Test
  void shouldHaltAndSkipNothingWhenTheStateThrows() throws Exception {
    openAll(List.of(A));
    write("a");
    Consensus consensus = leader();
    RecordingProposal poison = propose(consensus, "poison");
    RecordingProposal behind = propose(consensus, "b");
    advanceUntil("halted", () -> state(A).events().contains("halted"));
    advanceUntil("all ended", () -> !poison.outcomes().isEmpty() && !behind.outcomes().isEmpty());
    RecordingProposal late = propose(consensus, "c");
    advanceUntil("refused", () -> !late.outcomes().isEmpty());
    assertThat(state(A).applied()).containsExactly("a");
    assertThat(poison.outcomes()).hasSize(1).doesNotContain("APPLIED");
    assertThat(behind.outcomes()).hasSize(1).doesNotContain("APPLIED");
    assertThat(late.outcomes()).containsExactly("FAILED");
    assertThat(state(A).events()).containsOnlyOnce("halted");
    assertThat(consensus.leadership().leading()).isFalse();
  }

  @Test
  void shouldOpenEachReplicaOnceAndOnlyIfItExists() throws Exception {
    ConsensusHost host = start(A);
    assertThatThrownBy(() -> host.open(GROUP, new RecordingState(new RecordingState.Disk())))
        .isInstanceOf(ConsensusException.class);
    host.create(GROUP, ReplicaSet.ofVoters(A));
    assertThat(host.groups()).containsExactly(GROUP);
    Consensus consensus = host.open(GROUP, new RecordingState(new RecordingState.Disk()));
    assertThatThrownBy(() -> host.open(GROUP, new RecordingState(new RecordingState.Disk())))
        .isInstanceOf(ConsensusException.class);
    assertThatThrownBy(() -> host.destroy(GROUP)).isInstanceOf(ConsensusException.class);
    consensus.close();
    host.destroy(GROUP);
    assertThat(host.groups()).isEmpty();
  }

  @Test
  void shouldKeepTheReplicaWhenItIsCreatedAgain() throws Exception {
    openAll(List.of(A));
    write("a");
    requireNonNull(hosts.get(A)).create(GROUP, ReplicaSet.ofVoters(A, B));
    stopNode(A);
    openReplica(A, List.of(A));
    assertThat(leader().status().replicas()).isEqualTo(ReplicaSet.ofVoters(A));
    assertThat(state(A).applied()).containsExactly("a");
  }

  // ---- helpers

  private void openAll(List<NodeId> nodes) throws Exception {
    for (NodeId node : nodes) {
      openReplica(node, nodes);
    }
  }

  private void openReplica(NodeId node, List<NodeId> members) throws Exception {
    ConsensusHost host = start(node);
    hosts.put(node, host);
    host.create(GROUP, ReplicaSet.ofVoters(members.toArray(NodeId[]::new)));
    RecordingState state =
        new RecordingState(disks.computeIfAbsent(node, n -> new RecordingState.Disk()));
    states.put(node, state);
    openReplicas.put(node, host.open(GROUP, state));
  }

  private void stopNode(NodeId node) {
    openReplicas.remove(node);
    hosts.remove(node);
    stop(node);
  }

  private Consensus leader() {
    advanceUntil("a replica leads", () -> !leading().isEmpty());
    return leading().get(0);
  }

  private List<Consensus> leading() {
    return openReplicas.values().stream().filter(c -> c.leadership().leading()).toList();
  }

  private Consensus follower() {
    Consensus leader = leader();
    return openReplicas.values().stream().filter(c -> c != leader).findFirst().orElseThrow();
  }

  private NodeId node(Consensus consensus) {
    return openReplicas.entrySet().stream()
        .filter(e -> e.getValue() == consensus)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  private RecordingState state(NodeId node) {
    return requireNonNull(states.get(node));
  }

  private Consensus consensus(NodeId node) {
    return requireNonNull(openReplicas.get(node));
  }

  private static RecordingProposal propose(Consensus consensus, String value) {
    RecordingProposal proposal = new RecordingProposal(value);
    consensus.propose(consensus.leadership().term(), proposal.bytes(), proposal);
    return proposal;
  }

  private void write(String value) {
    while (true) {
      RecordingProposal proposal = propose(leader(), value);
      advanceUntil("an outcome for " + value, () -> !proposal.outcomes().isEmpty());
      if (proposal.outcomes().contains("APPLIED")) {
        return;
      }
      // A retry is safe only if the entry was not appended.
      assertThat(proposal.outcomes()).doesNotContain("OUTCOME_UNKNOWN");
    }
  }

  private void awaitEverywhere(List<String> values) {
    for (NodeId node : openReplicas.keySet()) {
      advanceUntil(node + " has " + values, () -> state(node).applied().equals(values));
    }
  }

  private <T> T await(CompletableFuture<T> future) throws Exception {
    advanceUntil("a result", future::isDone);
    return future.get();
  }

  /**
   * Reads at a replica. It refuses reads while it does not know the leader: a majority can elect
   * one and commit entries before the others hear of it.
   */
  private long readIndex(NodeId node) throws Exception {
    while (true) {
      advanceUntil(node + " knows the leader", () -> consensus(node).leadership().leader() != null);
      CompletableFuture<Long> read = consensus(node).readIndex();
      advanceUntil("a result", read::isDone);
      if (!read.isCompletedExceptionally() || failure(read) != Kind.NOT_LEADER) {
        return read.get();
      }
    }
  }

  private Kind failure(CompletableFuture<?> future) throws InterruptedException {
    advanceUntil("a result", future::isDone);
    try {
      future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ConsensusException cause) {
        return cause.kind();
      }
    }
    throw new AssertionError("expected a failure, got " + future);
  }
}
