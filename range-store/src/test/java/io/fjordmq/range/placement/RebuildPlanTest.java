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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The steps for a range of three nodes with broken replicas, of which the first node leads. */
class RebuildPlanTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final RangeId RANGE = new RangeId("words", 1);

  private final Map<NodeId, RangeReports> reports = new HashMap<>();
  private final Map<NodeId, PlacementView.Node> nodes = new HashMap<>();
  private ReplicaSet group = ReplicaSet.ofVoters(A, B, C);
  private boolean onEveryNode;

  private void report(NodeId node, ReplicaStatus.@Nullable Role role, boolean broken) {
    nodes.put(node, new PlacementView.Node(Member.State.UP, false));
    List<ReplicaReport> replicas = new ArrayList<>();
    if (role != null) {
      boolean halted = role == ReplicaStatus.Role.NONE;
      replicas.add(
          new ReplicaReport(
              RANGE,
              RangeEpoch.FIRST,
              KeyInterval.ALL,
              role,
              3,
              halted ? null : group,
              9,
              9,
              halted ? "a row cannot be read" : null,
              null,
              null,
              broken));
    }
    reports.put(node, new RangeReports(1, replicas, Set.of()));
  }

  private void reportRetired(NodeId node) {
    reports.put(node, new RangeReports(1, List.of(), Set.of(RANGE)));
  }

  private List<Step> steps() {
    RangeDescriptor published =
        new RangeDescriptor(RANGE, KeyInterval.ALL, RangeEpoch.FIRST, group);
    PlacementView view =
        new PlacementView(
            nodes,
            Map.of(RANGE, published),
            reports,
            Set.of(),
            Set.of(),
            PlacementView.Merges.NONE);
    return PlacementPlan.steps(view, List.of(new StorePlacement("words", 3, onEveryNode)));
  }

  @Test
  void shouldReplaceABrokenReplicaStepByStep() {
    onEveryNode = true;
    report(A, ReplicaStatus.Role.LEADER, false);
    report(B, ReplicaStatus.Role.VOTER, false);
    report(C, ReplicaStatus.Role.NONE, true);
    ReplicaSet without = ReplicaSet.ofVoters(A, B);
    assertThat(steps()).containsExactly(new Step.Change(RANGE, A, group, without));

    group = without;
    report(A, ReplicaStatus.Role.LEADER, false);
    report(B, ReplicaStatus.Role.VOTER, false);
    assertThat(steps()).containsExactly(new Step.Drop(RANGE, C, A, without, 9));

    reportRetired(C);
    assertThat(steps()).containsExactly(new Step.Forget(RANGE, C));

    report(C, null, false);
    assertThat(steps()).containsExactly(new Step.Ensure(RANGE, C, without));

    report(C, ReplicaStatus.Role.LEARNER, false);
    assertThat(steps())
        .containsExactly(new Step.Change(RANGE, A, without, ReplicaSet.ofVoters(A, B, C)));
  }

  @Test
  void shouldTransferLeadershipFromABrokenReplicaFirst() {
    report(A, ReplicaStatus.Role.LEADER, true);
    report(B, ReplicaStatus.Role.VOTER, false);
    report(C, ReplicaStatus.Role.VOTER, false);
    assertThat(steps()).containsExactly(new Step.Transfer(RANGE, A, B));
  }

  @Test
  void shouldKeepABrokenReplicaThatTheMajorityDependsOn() {
    report(A, ReplicaStatus.Role.LEADER, false);
    report(B, ReplicaStatus.Role.NONE, false);
    report(C, ReplicaStatus.Role.NONE, true);
    assertThat(steps()).isEmpty();

    report(B, ReplicaStatus.Role.VOTER, true);
    assertThat(steps()).isEmpty();
  }

  @Test
  void shouldNeverRemoveTheOnlyVoter() {
    group = ReplicaSet.ofVoters(A);
    report(A, ReplicaStatus.Role.LEADER, true);
    report(B, null, false);
    report(C, null, false);
    assertThat(steps()).noneMatch(step -> step instanceof Step.Drop);
    group = new ReplicaSet(Set.of(A), Set.of(B, C));
    report(A, ReplicaStatus.Role.NONE, true);
    report(B, ReplicaStatus.Role.LEARNER, false);
    report(C, ReplicaStatus.Role.LEARNER, false);
    assertThat(steps()).isEmpty();
  }

  @Test
  void shouldAlsoReplaceALearner() {
    onEveryNode = true;
    group = new ReplicaSet(Set.of(A), Set.of(B, C));
    report(A, ReplicaStatus.Role.LEADER, false);
    report(B, ReplicaStatus.Role.LEARNER, false);
    report(C, ReplicaStatus.Role.NONE, true);
    PlacementView.Node down = new PlacementView.Node(Member.State.DRAINING, false);
    nodes.put(B, down);
    assertThat(steps())
        .containsExactly(new Step.Change(RANGE, A, group, new ReplicaSet(Set.of(A), Set.of(B))));
  }
}
