package io.fjordmq.cluster.consensus.jraft;

import static io.fjordmq.cluster.consensus.LoopbackCluster.GROUP;
import static io.fjordmq.cluster.consensus.LoopbackCluster.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusObserver.SnapshotStep;
import io.fjordmq.cluster.consensus.LoopbackCluster;
import io.fjordmq.cluster.consensus.LoopbackCluster.Member;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ValuesState;
import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes over loopback; covers what a single voter cannot. */
final class ThreeVotersTest {
  private static final ReplicaSet THREE = ReplicaSet.ofVoters(node(1), node(2), node(3));

  @TempDir Path directory;
  private LoopbackCluster cluster;
  private NodeId laggingNode = node(0);

  @BeforeEach
  void start() throws Exception {
    cluster = new LoopbackCluster(directory);
    cluster.startVoters(3);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void shouldApplyEverywhereWhenALeaderIsElected() throws Exception {
    cluster.write("a");
    cluster.write("b");
    cluster.awaitEverywhere(List.of("a", "b"));
    Member follower = cluster.followers().get(0);
    assertThat(follower.consensus().leadership().leader()).isEqualTo(cluster.leader().id());
    assertThat(follower.consensus().status().replicas()).isEqualTo(THREE);
  }

  @Test
  void shouldElectAnotherLeaderWhenTheLeaderCloses() throws Exception {
    cluster.write("a");
    NodeId first = cluster.leader().id();
    cluster.stop(first);
    assertThat(cluster.leader().id()).isNotEqualTo(first);
    cluster.write("b");
    cluster.awaitEverywhere(List.of("a", "b"));
  }

  @Test
  void shouldElectAnotherLeaderWhileLeaderRequestsAreSuppressed() throws Exception {
    cluster.write("a");
    Member first = cluster.leader();
    first.host().suppressLeaderRequests(true);
    Await.until(
        "another leads",
        () ->
            cluster.members().stream()
                .anyMatch(m -> m != first && m.consensus().leadership().leading()));
    Await.until("the first leader steps down", () -> !first.consensus().leadership().leading());
    cluster.write("b");
    cluster.awaitEverywhere(List.of("a", "b")); // it still responds
    first.host().suppressLeaderRequests(false);
    cluster.stop(cluster.leader().id());
    cluster.write("c");
    assertThat(first.state().values()).startsWith("a", "b");
  }

  @Test
  void shouldCatchUpFromTheLogWhenAFollowerReturns() throws Exception {
    cluster.write("a");
    Member follower = cluster.followers().get(0);
    cluster.stop(follower.id());
    cluster.write("b");
    assertThat(lagSeenByTheLeader()).isPositive();
    Member restarted = cluster.start(follower.id(), THREE, follower.state().reopened());
    cluster.awaitEverywhere(List.of("a", "b"));
    assertThat(restarted.state().events()).doesNotContain("installed");
    Await.until("the leader knows", () -> lagSeenByTheLeader() == 0);
    assertThat(restarted.consensus().status().followerLag()).as("on a follower").isZero();
  }

  private long lagSeenByTheLeader() {
    return cluster.leader().consensus().status().followerLag();
  }

  @Test
  void shouldInstallASnapshotWhenTheLogIsTruncated() throws Exception {
    cluster.write("a");
    Member follower = cluster.followers().get(0);
    cluster.stop(follower.id());
    List<String> values = new ArrayList<>(List.of("a"));
    for (int round = 0; round < 3; round++) {
      values.add("r" + round);
      cluster.write("r" + round);
      for (Member member : cluster.members()) {
        member.consensus().checkpoint().get(20, TimeUnit.SECONDS);
      }
    }
    Member restarted = cluster.start(follower.id(), THREE, follower.state().reopened());
    cluster.awaitEverywhere(values);
    assertThat(restarted.state().events()).contains("installed");
    // The follower reports the installation after its state has changed.
    Await.until(
        "the installation is reported",
        () -> cluster.snapshotBytes.containsKey(SnapshotStep.INSTALL));
    assertThat(cluster.snapshotBytes)
        .containsOnlyKeys(SnapshotStep.EXPORT, SnapshotStep.FETCH, SnapshotStep.INSTALL)
        .allSatisfy((step, bytes) -> assertThat(bytes).isPositive());
    values.add("after");
    cluster.write("after");
    cluster.awaitEverywhere(values);

    cluster.stop(follower.id());
    ValuesState reopened = restarted.state().reopened();
    cluster.start(follower.id(), THREE, reopened);
    cluster.awaitEverywhere(values);
    assertThat(reopened.events()).as("the installed snapshot is kept").doesNotContain("installed");
  }

  @Test
  void shouldInstallAgainWhenAnInstallationWasInterrupted() throws Exception {
    ValuesState interrupted = interruptedInstallation();
    ValuesState restarted = interrupted.reopened();
    cluster.start(laggingNode, THREE, restarted);
    assertThat(restarted.events()).as("before anything else").startsWith("installed");
    cluster.awaitEverywhere(List.of("a", "b", "c"));
    cluster.write("d");
    cluster.awaitEverywhere(List.of("a", "b", "c", "d"));
  }

  /** A retry with the same snapshot would be refused every time. */
  @Test
  void shouldFetchAnotherSnapshotWhenTheStateRefusesOne() throws Exception {
    ValuesState refusing = laggingState().refusingSnapshotsWithout("d");
    cluster.start(laggingNode, THREE, refusing);
    Await.until("halted", () -> refusing.halts() == 1);
    assertThat(refusing.events()).startsWith("refused");
    assertThat(refusing.haltCause()).hasMessageContaining("a snapshot without d");
    cluster.stop(laggingNode);
    writeAndTruncateTheLog("d");
    ValuesState restarted = refusing.reopened().refusingSnapshotsWithout("d");
    cluster.start(laggingNode, THREE, restarted);
    cluster.awaitEverywhere(List.of("a", "b", "c", "d"));
    assertThat(restarted.events()).contains("installed").doesNotContain("refused");
  }

  @Test
  void shouldDiscardASnapshotThatIsRefusedAfterACrash() throws Exception {
    ValuesState interrupted = interruptedInstallation();
    writeAndTruncateTheLog("d");
    ValuesState restarted = interrupted.reopened().refusingSnapshotsWithout("d");
    cluster.start(laggingNode, THREE, restarted);
    cluster.awaitEverywhere(List.of("a", "b", "c", "d"));
    assertThat(restarted.events())
        .containsSubsequence("refused", "installed")
        .doesNotContain("halted");
  }

  /**
   * A crash truncated the log of this node; the entries that it had applied from there were never
   * committed.
   */
  @Test
  void shouldApplyEntriesAfterASnapshotThatIsOlderThanTheState() throws Exception {
    ValuesState ahead = laggingState().aheadBy(1_000);
    cluster.start(laggingNode, THREE, ahead);
    Await.until("installed", () -> ahead.events().contains("installed"));
    cluster.write("d");
    cluster.awaitEverywhere(List.of("a", "b", "c", "d"));
  }

  private ValuesState interruptedInstallation() throws Exception {
    ValuesState interrupted = laggingState().failingInstall();
    cluster.start(laggingNode, THREE, interrupted);
    Await.until("halted in the middle", () -> interrupted.halts() == 1);
    cluster.stop(laggingNode);
    return interrupted;
  }

  /** A follower that is stopped while the log advances and is truncated. */
  private ValuesState laggingState() throws Exception {
    Member follower = cluster.followers().get(0);
    laggingNode = follower.id();
    cluster.stop(laggingNode);
    for (String value : List.of("a", "b", "c")) {
      writeAndTruncateTheLog(value);
    }
    return follower.state().reopened();
  }

  private void writeAndTruncateTheLog(String value) throws Exception {
    cluster.write(value);
    for (Member member : cluster.members()) {
      member.consensus().checkpoint().get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldTransferLeadership() throws Exception {
    cluster.write("a");
    Member leader = cluster.leader();
    NodeId target = cluster.followers().get(0).id();
    leader.consensus().transferLeadership(target).get(20, TimeUnit.SECONDS);
    assertThat(cluster.leader().id()).isEqualTo(target);
    assertThat(leader.state().events()).containsSequence("leading", "following");
    cluster.write("b");
    cluster.awaitEverywhere(List.of("a", "b"));
  }

  @Test
  void shouldReplicateToANewVoterAndLearnerWhenReplicasChange() throws Exception {
    cluster.write("a");
    cluster.start(node(4), THREE, new ValuesState());
    cluster.start(node(5), THREE, new ValuesState());
    NodeId leader = cluster.leader().id();
    NodeId leaving =
        cluster.followers().stream()
            .map(Member::id)
            .filter(id -> THREE.voters().contains(id))
            .findFirst()
            .orElseThrow();
    Set<NodeId> voters = new java.util.HashSet<>(THREE.voters());
    voters.remove(leaving);
    voters.add(node(4));
    ReplicaSet target = new ReplicaSet(voters, Set.of(node(5)));
    cluster.changeReplicas(target);
    assertThat(cluster.leader().id()).isEqualTo(leader);
    assertThat(cluster.leader().consensus().status().replicas()).isEqualTo(target);
    cluster.stop(leaving);
    cluster.write("b");
    cluster.awaitEverywhere(List.of("a", "b"));
  }

  @Test
  void shouldPromoteALearnerToVoterAndDemoteItAgain() throws Exception {
    cluster.start(node(4), THREE, new ValuesState());
    ReplicaSet learning = new ReplicaSet(THREE.voters(), Set.of(node(4)));
    Set<NodeId> four = new java.util.HashSet<>(THREE.voters());
    four.add(node(4));
    for (ReplicaSet target : List.of(learning, new ReplicaSet(four, Set.of()), learning)) {
      cluster.changeReplicas(target);
      assertThat(cluster.leader().consensus().status().replicas()).isEqualTo(target);
      cluster.write(target.toString());
    }
    Await.until("the learner has caught up", () -> memberOf(node(4)).state().values().size() == 3);
  }

  /** jraft alone would occasionally wait forever, because nothing is appended meanwhile. */
  @Test
  void shouldChangeTheReplicasOfAnIdleGroupRepeatedly() throws Exception {
    cluster.start(node(4), THREE, new ValuesState());
    cluster.write("a");
    Set<NodeId> four = new java.util.HashSet<>(THREE.voters());
    four.add(node(4));
    for (int i = 0; i < 30; i++) {
      ReplicaSet target =
          i % 2 == 0
              ? new ReplicaSet(THREE.voters(), Set.of(node(4)))
              : new ReplicaSet(four, Set.of());
      cluster.changeReplicas(target);
    }
    cluster.write("b");
    cluster.awaitEverywhere(List.of("a", "b"));
  }

  @Test
  void shouldReadCommittedEntriesAtAFollowerAfterAReadIndex() throws Exception {
    long index = cluster.write("a");
    for (Member member : cluster.members()) {
      assertThat(LoopbackCluster.readIndex(member)).isGreaterThanOrEqualTo(index);
      assertThat(member.state().values()).containsExactly("a");
    }
  }

  @Test
  void shouldFailAReadIndexWhenTheMajorityIsGone() throws Exception {
    cluster.write("a");
    Member leader = cluster.leader();
    for (Member member : cluster.members()) {
      if (!member.id().equals(leader.id())) {
        cluster.stop(member.id());
      }
    }
    assertThatThrownBy(() -> leader.consensus().readIndex().get(20, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(ConsensusException.class);
  }

  @Test
  void shouldKeepMembersWhenAllRestart() throws Exception {
    cluster.write("a");
    List<Member> before = cluster.members();
    before.forEach(member -> cluster.stop(member.id()));
    for (Member member : before) {
      cluster.start(member.id(), THREE, member.state().reopened());
    }
    cluster.write("b");
    cluster.awaitEverywhere(List.of("a", "b"));
    assertThat(cluster.leader().host().groups()).containsExactly(GROUP);
  }

  private Member memberOf(NodeId node) {
    return cluster.members().stream().filter(m -> m.id().equals(node)).findAny().orElseThrow();
  }
}
