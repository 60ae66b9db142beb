package io.fjordmq.broker.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Member.State;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DiskCapacityTest {
  private static final NodeId SELF = new NodeId("self");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");

  private static boolean hasEnoughSpace(boolean localSpace, State b, State c, NodeId... voters) {
    Map<NodeId, Member> members = new HashMap<>();
    Map.of(SELF, State.UP, B, b, C, c)
        .forEach(
            (node, state) ->
                members.put(node, new Member(node, new NodeAddress(node.value(), 1), 1, state)));
    RangeDescriptor range =
        new RangeDescriptor(
            new RangeId("inbox", 1),
            KeyInterval.ALL,
            RangeEpoch.FIRST,
            ReplicaSet.ofVoters(voters));
    return new DiskCapacity(
            SELF, () -> localSpace, () -> new Members(1, members), () -> List.of(range))
        .isEnough();
  }

  @Test
  void shouldAcceptMessagesWhileAMajorityOfTheVotersHasRoom() {
    assertThat(hasEnoughSpace(true, State.UP, State.UP, SELF, B, C)).isTrue();
    assertThat(hasEnoughSpace(false, State.UP, State.UP, SELF, B, C))
        .as("this node is full")
        .isTrue();
    assertThat(hasEnoughSpace(true, State.FULL, State.SLOW, SELF, B, C)).isTrue();
    assertThat(hasEnoughSpace(false, State.FULL, State.UP, SELF, B, C))
        .as("two nodes are full")
        .isFalse();
    assertThat(hasEnoughSpace(true, State.FULL, State.DOWN, SELF, B, C))
        .as("the majority needs the full node")
        .isFalse();
    assertThat(hasEnoughSpace(true, State.DOWN, State.DOWN, SELF, B, C))
        .as("no majority, but not for lack of space")
        .isTrue();
    assertThat(hasEnoughSpace(false, State.UP, State.UP, SELF, B))
        .as("both voters are needed")
        .isFalse();
  }

  @Test
  void shouldCheckTheLocalDiskWhenThisNodeIsTheOnlyVoter() {
    assertThat(hasEnoughSpace(true, State.FULL, State.FULL, SELF)).isTrue();
    assertThat(hasEnoughSpace(false, State.UP, State.UP, SELF)).isFalse();
  }

  @Test
  void shouldIgnoreTheLocalDiskWhenOtherNodesStoreTheRange() {
    assertThat(hasEnoughSpace(false, State.UP, State.UP, B)).isTrue();
    assertThat(hasEnoughSpace(true, State.FULL, State.UP, B)).isFalse();
  }
}
