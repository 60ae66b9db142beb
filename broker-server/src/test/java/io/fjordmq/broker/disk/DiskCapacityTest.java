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

  private static boolean room(boolean here, State b, State c, NodeId... voters) {
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
    DiskCapacity diskCapacity =
        new DiskCapacity(SELF, () -> here, () -> new Members(1, members), () -> List.of(range));
    diskCapacity.refresh();
    return diskCapacity.isEnough();
  }

  @Test
  void shouldAcceptMessagesWhileAMajorityOfTheVotersHasRoom() {
    assertThat(room(true, State.UP, State.UP, SELF, B, C)).isTrue();
    assertThat(room(false, State.UP, State.UP, SELF, B, C)).as("this one is full").isTrue();
    assertThat(room(true, State.FULL, State.SLOW, SELF, B, C)).isTrue();
    assertThat(room(false, State.FULL, State.UP, SELF, B, C)).as("two are full").isFalse();
    assertThat(room(true, State.FULL, State.DOWN, SELF, B, C))
        .as("it takes the disk of the full one")
        .isFalse();
    assertThat(room(true, State.DOWN, State.DOWN, SELF, B, C))
        .as("no majority, but no matter of room")
        .isTrue();
    assertThat(room(false, State.UP, State.UP, SELF, B)).as("both are needed").isFalse();
  }

  @Test
  void shouldCheckTheLocalDiskWhenThisNodeIsTheOnlyVoter() {
    assertThat(room(true, State.FULL, State.FULL, SELF)).isTrue();
    assertThat(room(false, State.UP, State.UP, SELF)).isFalse();
  }

  @Test
  void shouldIgnoreTheLocalDiskWhenOtherNodesStoreTheRange() {
    assertThat(room(false, State.UP, State.UP, B)).isTrue();
    assertThat(room(true, State.FULL, State.UP, B)).isFalse();
  }
}
