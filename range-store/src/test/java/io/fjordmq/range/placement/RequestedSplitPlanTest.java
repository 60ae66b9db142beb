package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus.Role;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which splits are planned at the request of range leaders. */
class RequestedSplitPlanTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final RangeId RANGE = new RangeId("words", 1);
  private static final ReplicaSet BOTH = new ReplicaSet(Set.of(A, B), Set.of());
  private static final byte[] KEY = {5};
  private static final RangeLoadReport REQUEST =
      new RangeLoadReport(
          60, 9, 9, 9, 9, "split", new KeyInterval(KEY, new byte[] {9}), false, false);

  private static ReplicaReport replica(
      Role role, long term, long version, @Nullable RangeLoadReport load) {
    return new ReplicaReport(
        RANGE,
        new RangeEpoch(version, 1),
        KeyInterval.ALL,
        role,
        term,
        BOTH,
        9,
        9,
        null,
        null,
        load);
  }

  private static List<Step> requestedSplits(
      Set<RangeId> busy, ReplicaReport ofA, ReplicaReport ofB) {
    PlacementView.Node up = new PlacementView.Node(Member.State.UP, false);
    return PlacementPlan.requestedSplits(
        new PlacementView(
            Map.of(A, up, B, up),
            Map.of(RANGE, new RangeDescriptor(RANGE, KeyInterval.ALL, RangeEpoch.FIRST, BOTH)),
            Map.of(
                A,
                new RangeReports(1, List.of(ofA), Set.of()),
                B,
                new RangeReports(1, List.of(ofB), Set.of())),
            busy,
            Set.of(),
            PlacementView.Merges.NONE));
  }

  @Test
  void shouldSplitARangeAtTheKeyThatItsLeaderRequests() {
    List<Step> steps =
        requestedSplits(
            Set.of(), replica(Role.LEADER, 3, 1, REQUEST), replica(Role.VOTER, 3, 1, null));
    assertThat(steps)
        .singleElement()
        .isInstanceOfSatisfying(
            Step.Split.class,
            split -> {
              assertThat(split.range()).isEqualTo(RANGE);
              assertThat(split.leader()).isEqualTo(A);
              assertThat(split.epochVersion()).isEqualTo(1);
              assertThat(split.key()).containsExactly(KEY);
            });
  }

  @Test
  void shouldIgnoreALeaderOfAnEarlierTerm() {
    assertThat(
            requestedSplits(
                Set.of(), replica(Role.LEADER, 3, 1, REQUEST), replica(Role.LEADER, 4, 1, null)))
        .isEmpty();
  }

  @Test
  void shouldWaitWhileAnotherStepIsInProgress() {
    assertThat(
            requestedSplits(
                Set.of(RANGE),
                replica(Role.LEADER, 3, 1, REQUEST),
                replica(Role.VOTER, 3, 1, null)))
        .isEmpty();
  }

  @Test
  void shouldWaitUntilTheChangedRangeIsPublished() {
    assertThat(
            requestedSplits(
                Set.of(), replica(Role.LEADER, 3, 2, REQUEST), replica(Role.VOTER, 3, 2, null)))
        .isEmpty();
  }

  @Test
  void shouldNotSplitARangeThatItsLeaderWantsToMerge() {
    RangeLoadReport merge = new RangeLoadReport(60, 0, 0, 0, 0, "merge", null, true, false);
    assertThat(
            requestedSplits(
                Set.of(), replica(Role.LEADER, 3, 1, merge), replica(Role.VOTER, 3, 1, null)))
        .isEmpty();
  }
}
