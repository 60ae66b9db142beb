package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The next step of one range with three voters, led by the first; the second is to be replaced. */
class RangePlanTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final RangeId RANGE = new RangeId("words", 1);
  private static final ReplicaSet ALL = ReplicaSet.ofVoters(A, B, C);

  private final Map<NodeId, RangeReports> reports = new HashMap<>();

  private void report(NodeId node, ReplicaStatus.Role role) {
    report(node, role, ALL);
  }

  private void report(NodeId node, ReplicaStatus.Role role, ReplicaSet group) {
    ReplicaReport replica =
        new ReplicaReport(
            RANGE, RangeEpoch.FIRST, KeyInterval.ALL, role, 3, group, 9, 9, null, null, null);
    reports.put(node, new RangeReports(1, List.of(replica), Set.of()));
  }

  private @Nullable Step nextStep() {
    return plan(ALL, Set.of(A, C)).next();
  }

  private RangePlan plan(ReplicaSet now, Set<NodeId> wanted) {
    return plan(now, wanted, Set.of());
  }

  private RangePlan plan(ReplicaSet now, Set<NodeId> wanted, Set<RangeId> held) {
    PlacementView.Node up = new PlacementView.Node(Member.State.UP, false);
    PlacementView.Node down = new PlacementView.Node(Member.State.DOWN, false);
    RangeDescriptor published = new RangeDescriptor(RANGE, KeyInterval.ALL, RangeEpoch.FIRST, now);
    PlacementView view =
        new PlacementView(
                Map.of(A, up, B, up, C, reports.containsKey(C) ? up : down),
                Map.of(RANGE, published),
                reports,
                Set.of(),
                Set.of(),
                PlacementView.Merges.NONE)
            .withHeld(held);
    PlacedRange range = new PlacedRange(published, reports);
    return new RangePlan(view, range, wanted, false, Set.of());
  }

  @Test
  void shouldRemoveAVoterWhileTheOthersAreInService() {
    report(A, ReplicaStatus.Role.LEADER);
    report(B, ReplicaStatus.Role.VOTER);
    report(C, ReplicaStatus.Role.VOTER);

    assertThat(nextStep()).isEqualTo(new Step.Change(RANGE, A, ALL, ReplicaSet.ofVoters(A, C)));
  }

  /**
   * After a split, a voter may not have a replica of the new range yet and could not confirm the
   * change.
   */
  @Test
  void shouldKeepAVoterThatTheMajorityDependsOn() {
    report(A, ReplicaStatus.Role.LEADER);
    report(B, ReplicaStatus.Role.VOTER);
    reports.put(C, new RangeReports(1, List.of(), Set.of()));

    assertThat(nextStep()).isNull();
  }

  @Test
  void shouldReportTheNodeThatARemovalWaitsFor() {
    ReplicaSet without = ReplicaSet.ofVoters(A, C);
    report(A, ReplicaStatus.Role.LEADER, without);
    report(B, ReplicaStatus.Role.NONE, without);
    RangePlan plan = plan(without, Set.of(A, C));
    assertThat(plan.next()).isNull();
    assertThat(plan.pending(null))
        .containsExactly(
            new PendingStep(RANGE, "removing the replica on node b", "node c is down", true));
    report(C, ReplicaStatus.Role.VOTER, without);
    assertThat(plan(without, Set.of(A, C)).next())
        .isEqualTo(new Step.Drop(RANGE, B, A, without, 9));
  }

  @Test
  void shouldReportTheNodeThatAVoterChangeWaitsFor() {
    ReplicaSet now = ReplicaSet.ofVoters(A, B);
    report(A, ReplicaStatus.Role.LEADER, now);
    report(B, ReplicaStatus.Role.VOTER, now);
    RangePlan plan = plan(now, Set.of(A, C));
    assertThat(plan.next()).isNull();
    assertThat(plan.pending(null))
        .containsExactly(
            new PendingStep(
                RANGE, "changing the voters from [a, b] to [a, c]", "node c is down", true));
  }

  @Test
  void shouldKeepAReplicaWhoseRemovalAnOperatorHasCanceled() {
    ReplicaSet without = ReplicaSet.ofVoters(A, C);
    report(A, ReplicaStatus.Role.LEADER, without);
    report(B, ReplicaStatus.Role.NONE, without);
    RangePlan waiting = plan(without, Set.of(A, C));
    assertThat(waiting.changes(null))
        .containsExactly(new ReplicaChange("removing the replica on node b", null));
    RangePlan held = plan(without, Set.of(A, C), Set.of(RANGE));
    assertThat(held.pending(null)).isEmpty();
    assertThat(held.changes(null)).isEmpty();
    report(C, ReplicaStatus.Role.VOTER, without);
    assertThat(plan(without, Set.of(A, C), Set.of(RANGE)).next()).isNull();
  }

  @Test
  void shouldReportWhyAVoterMustMoveAndHowToProceed() {
    ReplicaSet now = ReplicaSet.ofVoters(A, B);
    report(A, ReplicaStatus.Role.LEADER, now);
    report(B, ReplicaStatus.Role.VOTER, now);
    RangePlan plan = plan(now, Set.of(A, C));
    assertThat(plan.changes("node b is being decommissioned"))
        .singleElement()
        .satisfies(
            change ->
                assertThat(change.reason())
                    .startsWith("node b is being decommissioned; start the nodes")
                    .contains("remove-node ID"));
    assertThat(plan.pending("node b is being decommissioned"))
        .singleElement()
        .matches(step -> !step.cancelable());
  }

  @Test
  void shouldChangeARoleInASingleStep() {
    ReplicaSet now = new ReplicaSet(Set.of(A, B), Set.of(C));
    ReplicaSet next = new ReplicaSet(Set.of(A, B, C), Set.of());
    report(A, ReplicaStatus.Role.LEADER, now);
    report(B, ReplicaStatus.Role.VOTER, now);
    report(C, ReplicaStatus.Role.LEARNER, now);
    assertThat(plan(now, Set.of(A, B, C)).next()).isEqualTo(new Step.Change(RANGE, A, now, next));
  }
}
