package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which voter should move to another node because of the write load. */
class VoterLoadBalanceTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final String STORE = "inbox";

  private final ModelCluster cluster = new ModelCluster();

  VoterLoadBalanceTest() {
    List.of(A, B, C).forEach(node -> cluster.set(node, Member.State.UP, false));
  }

  private RangeId range(long writes, NodeId... voters) {
    RangeId id = new RangeId(STORE, cluster.groups.size() + 1L);
    ModelCluster.Group group = new ModelCluster.Group(ReplicaSet.ofVoters(voters));
    group.requests = writes;
    cluster.groups.put(id, group);
    cluster.electLeaders();
    return id;
  }

  private List<VoterLoadBalance.Move> nextMoves(int voters) {
    return nextMoves(cluster.view(Set.of()), new StorePlacement(STORE, voters, false));
  }

  private static List<VoterLoadBalance.Move> nextMoves(PlacementView view, StorePlacement store) {
    List<PlacedRange> ranges =
        view.published().values().stream()
            .sorted(Comparator.comparingLong((RangeDescriptor range) -> range.id().number()))
            .map(range -> new PlacedRange(range, view.reports()))
            .toList();
    return VoterLoadBalance.next(view, store, ranges);
  }

  @Test
  void shouldSwapTwoVotersWhenOneNodeHasMuchMoreWriteLoad() {
    RangeId busy = range(4_000, A);
    range(3_000, A);
    RangeId idle = range(900, B);
    range(100, B);
    range(3_000, C);
    range(1_000, C);
    assertThat(nextMoves(1))
        .as("the best balance of the two")
        .containsExactly(
            new VoterLoadBalance.Move(busy, A, B), new VoterLoadBalance.Move(idle, B, A));
  }

  @Test
  void shouldMoveOneVoterWhenTheNodeHasOneMore() {
    range(3_000, A);
    RangeId moved = range(1_000, A);
    range(100, B);
    range(1_900, C);
    assertThat(nextMoves(1)).containsExactly(new VoterLoadBalance.Move(moved, A, B));
  }

  @Test
  void shouldNotMoveOneVoterIfTheNumbersBecomeLessEven() {
    range(3_000, A);
    range(100, B);
    range(100, B);
    range(100, C);
    assertThat(nextMoves(1)).isEmpty();
  }

  @Test
  void shouldPreferToMoveAVoterThatDoesNotLead() {
    RangeId led = range(2_000, A, B);
    RangeId followed = range(2_000, A, B);
    range(0, A, C);
    range(0, B, C);
    Objects.requireNonNull(cluster.groups.get(led)).leader = B;
    Objects.requireNonNull(cluster.groups.get(followed)).leader = A;
    assertThat(nextMoves(2)).containsExactly(new VoterLoadBalance.Move(followed, B, C));
  }

  @Test
  void shouldNotMoveVotersForASmallGain() {
    range(8_000, A); // the same load wherever it is
    range(0, A);
    range(0, B);
    range(0, C);
    assertThat(nextMoves(1)).as("the other one is not worth a snapshot").isEmpty();
  }

  @Test
  void shouldIgnoreSmallDifferences() {
    range(240, A);
    range(240, A);
    range(0, B);
    range(0, C);
    assertThat(nextMoves(1)).as("below 500 a second").isEmpty();
    range(10_000, A);
    range(8_000, B);
    range(9_000, C);
    assertThat(nextMoves(1)).as("below 30 %").isEmpty();
  }

  @Test
  void shouldNotMoveVotersIfEveryNodeHasAReplica() {
    range(4_000, A);
    range(3_000, A);
    range(0, B);
    range(0, B);
    PlacementView view = cluster.view(Set.of());
    assertThat(nextMoves(view, new StorePlacement(STORE, 1, true))).isEmpty();
    assertThat(nextMoves(view, new StorePlacement(STORE, 1, false))).isNotEmpty();
  }

  @Test
  void shouldWaitWhileANodeIsNotUp() {
    range(4_000, A);
    range(3_000, A);
    range(0, B);
    range(0, B);
    for (Member.State state :
        List.of(
            Member.State.DOWN,
            Member.State.FULL,
            Member.State.SLOW,
            Member.State.DRAINING,
            Member.State.LEAVING)) {
      cluster.set(C, state, false);
      assertThat(nextMoves(1)).as("%s", state).isEmpty();
    }
    cluster.set(C, Member.State.UP, false);
    assertThat(nextMoves(1)).isNotEmpty();
  }

  @Test
  void shouldWaitUntilTheNumbersOfVotersAreEven() {
    range(4_000, A);
    range(3_000, A);
    range(0, B);
    RangeId other = range(0, B);
    ModelCluster.Group group = Objects.requireNonNull(cluster.groups.get(other));
    group.holders.put(C, group.current);
    assertThat(nextMoves(1)).as("an earlier move is unfinished").isEmpty();
    group.holders.remove(C);
    group.retired.add(C);
    assertThat(nextMoves(1)).as("nor is it forgotten yet").isEmpty();
    group.retired.clear();
    assertThat(nextMoves(2)).as("too few voters").isEmpty();
    group.published = ReplicaSet.ofVoters(A);
    assertThat(nextMoves(1)).as("not published").isEmpty();
  }
}
