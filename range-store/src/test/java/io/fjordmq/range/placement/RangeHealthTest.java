package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The health of one range of three voters, as node A sees it. */
class RangeHealthTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final NodeId D = new NodeId("d");
  private static final RangeId RANGE = new RangeId("inbox", 1);

  private static RangeDescriptor range(NodeId... voters) {
    return new RangeDescriptor(
        RANGE, KeyInterval.ALL, RangeEpoch.FIRST, ReplicaSet.ofVoters(voters));
  }

  private static Members members(Map<NodeId, Member.State> states) {
    Map<NodeId, Member> members = new HashMap<>();
    states.forEach(
        (node, state) -> members.put(node, new Member(node, new NodeAddress("host", 1), 1, state)));
    return new Members(1, members);
  }

  private static Members up(NodeId... nodes) {
    Map<NodeId, Member.State> states = new HashMap<>();
    for (NodeId node : nodes) {
      states.put(node, Member.State.UP);
    }
    return members(states);
  }

  private static Map<RangeId, ReplicaStatus> own(
      @Nullable NodeId leader, @Nullable String failure) {
    RangeDescriptor range = range(A, B, C);
    GroupStatus group =
        failure == null
            ? new GroupStatus(
                new Leadership(1, leader, A.equals(leader)), range.replicas(), 1, 1, 1, 1)
            : null;
    ReplicaStatus replica =
        new ReplicaStatus(A, range, A.equals(leader), 1, 0, 0, 0, group, null, failure);
    return Map.of(RANGE, replica);
  }

  private static RangeHealth health(
      RangeDescriptor range, Map<RangeId, ReplicaStatus> own, Members members, int voters) {
    return RangeHealth.of(List.of(range), own, members, voters);
  }

  @Test
  void shouldBeHealthyWithALeaderAndAllVoters() {
    assertThat(health(range(A, B, C), own(B, null), up(A, B, C), 3))
        .isEqualTo(new RangeHealth(1, 0, 0));
  }

  @Test
  void shouldBeWithoutLeaderIfItsReplicaKnowsNone() {
    assertThat(health(range(A, B, C), own(null, null), up(A, B, C), 3))
        .isEqualTo(new RangeHealth(1, 1, 0));
  }

  @Test
  void shouldBeUnderReplicatedIfAVoterIsDown() {
    Members oneDown =
        members(Map.of(A, Member.State.UP, B, Member.State.DRAINING, C, Member.State.DOWN));
    assertThat(health(range(A, B, C), own(A, null), oneDown, 3))
        .isEqualTo(new RangeHealth(1, 0, 1));
  }

  @Test
  void shouldInferTheLeaderFromTheVotersWithoutAReplica() {
    Members twoDown =
        members(Map.of(A, Member.State.UP, B, Member.State.DOWN, C, Member.State.DOWN));
    assertThat(health(range(A, B, C), Map.of(), twoDown, 3)).isEqualTo(new RangeHealth(1, 1, 1));
    Members oneDown = members(Map.of(A, Member.State.UP, B, Member.State.UP, C, Member.State.DOWN));
    assertThat(health(range(A, B, C), Map.of(), oneDown, 3)).isEqualTo(new RangeHealth(1, 0, 1));
  }

  @Test
  void shouldNotCountAHaltedReplicaOfThisNode() {
    assertThat(health(range(A, B, C), own(null, "disk full"), up(A, B, C), 3))
        .as("B and C can elect a leader")
        .isEqualTo(new RangeHealth(1, 0, 1));
  }

  @Test
  void shouldNotRequireMoreVotersThanNodes() {
    assertThat(health(range(A), Map.of(), up(A), 3)).isEqualTo(new RangeHealth(1, 0, 0));
    assertThat(health(range(A), Map.of(), up(A, D), 3))
        .as("placement adds the other node")
        .isEqualTo(new RangeHealth(1, 0, 1));
  }

  @Test
  void shouldBeUnderReplicatedWhileANodeIsReplaced() {
    assertThat(health(range(A, B), own(A, null), up(A, B, C), 3))
        .isEqualTo(new RangeHealth(1, 0, 1));
  }
}
