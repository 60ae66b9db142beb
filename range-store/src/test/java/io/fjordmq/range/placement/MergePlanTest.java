package io.fjordmq.range.placement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus.Merging;
import io.fjordmq.range.store.ReplicaStatus.Role;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: the next steps of a merge of two ranges, given the reports of the nodes. */
class MergePlanTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final RangeId LEFT = new RangeId("words", 1);
  private static final RangeId RIGHT = new RangeId("words", 2);
  private static final ReplicaSet BOTH = ReplicaSet.ofVoters(A, B);
  private static final KeyInterval LEFT_KEYS = keys("", "m");
  private static final KeyInterval RIGHT_KEYS = keys("m", null);
  private static final Merging DURABLE = new Merging(LEFT, 4, true);
  private static final Merging NOT_DURABLE = new Merging(LEFT, 4, false);

  private final Map<NodeId, PlacementView.Node> nodes = new HashMap<>();
  private final Map<NodeId, RangeReports> reports = new HashMap<>();
  private final Map<RangeId, RangeDescriptor> published = new HashMap<>();
  private Set<RangeId> canceledMerges = Set.of();
  private Set<RangeId> overdueMerges = Set.of();
  private List<RangeId> requestedRanges = List.of();

  @SuppressWarnings("NullAway") // the checker does not see in class files that an array may be null
  private static KeyInterval keys(String start, @Nullable String end) {
    return new KeyInterval(start.getBytes(UTF_8), end == null ? null : end.getBytes(UTF_8));
  }

  @BeforeEach
  void setUpTwoNeighborsOnTwoNodes() {
    setState(A, Member.State.UP);
    setState(B, Member.State.UP);
    publish(LEFT, 4, LEFT_KEYS);
    publish(RIGHT, 7, RIGHT_KEYS);
  }

  private void setState(NodeId node, Member.State state) {
    nodes.put(node, new PlacementView.Node(state, false));
  }

  private void publish(RangeId id, long version, KeyInterval keys) {
    published.put(id, new RangeDescriptor(id, keys, new RangeEpoch(version, 1), BOTH));
  }

  private static ReplicaReport replica(
      RangeId range, long version, KeyInterval keys, Role role, @Nullable Merging merging) {
    return new ReplicaReport(
        range, new RangeEpoch(version, 1), keys, role, 3, BOTH, 9, 9, null, merging, null);
  }

  private void report(NodeId node, ReplicaReport... replicas) {
    reports.put(node, new RangeReports(1, List.of(replicas), Set.of()));
  }

  /** Reports the ranges: A leads the left one, B leads the right one. */
  private void reportRanges(long leftVersion, @Nullable Merging ofA, @Nullable Merging ofB) {
    report(
        A,
        replica(LEFT, leftVersion, LEFT_KEYS, Role.LEADER, null),
        replica(RIGHT, 7, RIGHT_KEYS, Role.VOTER, ofA));
    report(
        B,
        replica(LEFT, leftVersion, LEFT_KEYS, Role.VOTER, null),
        replica(RIGHT, 7, RIGHT_KEYS, Role.LEADER, ofB));
  }

  private List<Step> steps() {
    PlacementView.Merges merges =
        new PlacementView.Merges(requestedRanges, overdueMerges, canceledMerges);
    return PlacementPlan.steps(
        new PlacementView(nodes, published, reports, Set.of(), Set.of(), merges),
        List.of(new StorePlacement("words", 2, false)));
  }

  private static RangeDescriptor range(RangeId id, long version, KeyInterval keys) {
    return new RangeDescriptor(id, keys, new RangeEpoch(version, 1), BOTH);
  }

  @Test
  void shouldFreezeTheRightRangeOnlyOnRequest() {
    reportRanges(4, null, null);
    assertThat(steps()).isEmpty();
    requestedRanges = List.of(LEFT);
    assertThat(steps())
        .containsExactly(
            new Step.Freeze(RIGHT, B, range(RIGHT, 7, RIGHT_KEYS), range(LEFT, 4, LEFT_KEYS)));
    requestedRanges = List.of(RIGHT);
    assertThat(steps()).as("no right neighbor").isEmpty();
  }

  @Test
  void shouldNotFreezeWhileANodeIsNotUp() {
    reportRanges(4, null, null);
    requestedRanges = List.of(LEFT);
    setState(B, Member.State.FULL);
    assertThat(steps()).noneMatch(step -> step instanceof Step.Freeze);
    setState(B, Member.State.DOWN);
    assertThat(steps()).noneMatch(step -> step instanceof Step.Freeze);
  }

  /**
   * The old replica may rejoin with its log, which contains the merge, without having the right
   * range.
   */
  @Test
  void shouldNotFreezeWhileAnOldReplicaOfTheLeftRangeMayExist() {
    NodeId other = new NodeId("c");
    reportRanges(4, null, null);
    requestedRanges = List.of(LEFT);
    setState(other, Member.State.DOWN);
    assertThat(steps()).as("no report").noneMatch(step -> step instanceof Step.Freeze);
    setState(other, Member.State.UP);
    report(other, replica(LEFT, 4, LEFT_KEYS, Role.NONE, null));
    assertThat(steps()).as("it reports one").noneMatch(step -> step instanceof Step.Freeze);
    report(other);
    assertThat(steps()).as("it reports none").anyMatch(step -> step instanceof Step.Freeze);
  }

  @Test
  void shouldAbsorbARangeThatIsFrozenOnEveryReplica() {
    reportRanges(4, DURABLE, DURABLE);
    assertThat(steps())
        .containsExactly(
            new Step.Absorb(LEFT, A, range(LEFT, 4, LEFT_KEYS), range(RIGHT, 7, RIGHT_KEYS), BOTH));
  }

  @Test
  void shouldWaitUntilTheLastReplicaIsDurablyFrozen() {
    reportRanges(4, DURABLE, null);
    assertThat(steps()).isEmpty();
    reportRanges(4, NOT_DURABLE, DURABLE);
    assertThat(steps()).isEmpty();
    reports.remove(A);
    assertThat(steps()).isEmpty();
  }

  @Test
  void shouldAbandonAMergeThatTakesTooLongOrLacksANode() {
    reportRanges(4, DURABLE, null);
    overdueMerges = Set.of(RIGHT);
    assertThat(steps())
        .singleElement()
        .satisfies(
            step ->
                assertThat(((Step.BumpEpoch) step).left()).isEqualTo(range(LEFT, 4, LEFT_KEYS)));
    overdueMerges = Set.of();
    setState(B, Member.State.DRAINING);
    assertThat(steps()).hasSize(1).allMatch(step -> step instanceof Step.BumpEpoch);
  }

  @Test
  void shouldAbandonAMergeThatAnOperatorCancels() {
    reportRanges(4, DURABLE, null);
    canceledMerges = Set.of(RIGHT);
    assertThat(steps())
        .singleElement()
        .satisfies(step -> assertThat(((Step.BumpEpoch) step).reason()).contains("operator"));
  }

  @Test
  void shouldUnfreezeTheRightRangeOnceTheLeftOneHasANewVersion() {
    publish(LEFT, 5, LEFT_KEYS);
    reportRanges(5, DURABLE, DURABLE);
    assertThat(steps()).containsExactly(new Step.Unfreeze(RIGHT, B));
  }

  @Test
  void shouldUnfreezeARangeWhoseLeftNeighborNoLongerExists() {
    published.remove(LEFT);
    publish(new RangeId("words", 3), 9, LEFT_KEYS);
    ReplicaReport successor = replica(new RangeId("words", 3), 9, LEFT_KEYS, Role.LEADER, null);
    report(A, successor, replica(RIGHT, 7, RIGHT_KEYS, Role.VOTER, DURABLE));
    report(B, successor, replica(RIGHT, 7, RIGHT_KEYS, Role.LEADER, DURABLE));
    assertThat(steps()).contains(new Step.Unfreeze(RIGHT, B));
  }

  @Test
  void shouldPublishTheLeftRangeAndDeleteTheRightOneInOneStep() {
    report(A, replica(LEFT, 8, KeyInterval.ALL, Role.LEADER, null));
    report(
        B,
        replica(LEFT, 4, LEFT_KEYS, Role.VOTER, null),
        replica(RIGHT, 7, RIGHT_KEYS, Role.LEADER, DURABLE));
    assertThat(steps())
        .containsExactly(
            new Step.PublishRanges(LEFT, List.of(range(LEFT, 8, KeyInterval.ALL)), Set.of(RIGHT)));
  }

  @Test
  void shouldPublishAMergeFollowedByASplit() {
    RangeId child = new RangeId("words", 5);
    report(
        A,
        replica(LEFT, 9, keys("", "c"), Role.LEADER, null),
        replica(child, 9, keys("c", null), Role.LEADER, null));
    report(B, replica(RIGHT, 7, RIGHT_KEYS, Role.LEADER, DURABLE));
    assertThat(steps())
        .containsExactly(
            new Step.PublishRanges(
                LEFT,
                List.of(range(LEFT, 9, keys("", "c")), range(child, 9, keys("c", null))),
                Set.of(RIGHT)));
  }

  @Test
  void shouldRemoveAndForgetStaleReplicas() {
    published.remove(RIGHT);
    publish(LEFT, 8, KeyInterval.ALL);
    report(A, replica(LEFT, 8, KeyInterval.ALL, Role.LEADER, null));
    report(B, replica(RIGHT, 6, RIGHT_KEYS, Role.NONE, null));
    assertThat(steps()).contains(new Step.RemoveStaleReplica(RIGHT, B, Set.of(LEFT)));

    report(
        B,
        replica(LEFT, 4, LEFT_KEYS, Role.VOTER, null),
        replica(RIGHT, 7, RIGHT_KEYS, Role.VOTER, DURABLE));
    assertThat(steps()).as("its neighbor on that node absorbs it").isEmpty();

    ReplicaReport whole = replica(LEFT, 8, KeyInterval.ALL, Role.VOTER, null);
    reports.put(B, new RangeReports(1, List.of(whole), Set.of(RIGHT)));
    assertThat(steps()).containsExactly(new Step.Forget(RIGHT, B));
  }

  /** The range was frozen when its node left the group, so it never learns that it was unfrozen. */
  @Test
  void shouldRemoveAReplicaFrozenForAnAbandonedMerge() {
    RangeId other = new RangeId("words", 5);
    published.remove(RIGHT);
    publish(LEFT, 5, LEFT_KEYS);
    publish(other, 9, RIGHT_KEYS);
    report(
        A,
        replica(LEFT, 5, LEFT_KEYS, Role.LEADER, null),
        replica(other, 9, RIGHT_KEYS, Role.LEADER, null));
    ReplicaReport frozenReplica = replica(RIGHT, 7, RIGHT_KEYS, Role.VOTER, DURABLE);
    report(B, replica(LEFT, 5, LEFT_KEYS, Role.VOTER, null), frozenReplica);
    assertThat(steps()).contains(new Step.RemoveStaleReplica(RIGHT, B, Set.of(other)));
    report(B, replica(LEFT, 4, LEFT_KEYS, Role.VOTER, null), frozenReplica);
    assertThat(steps())
        .as("its neighbor on that node may absorb it")
        .noneMatch(Step.RemoveStaleReplica.class::isInstance);
  }

  /**
   * One node that leads both ranges requests the merge; otherwise each leader reports its own range
   * as idle.
   */
  @Test
  void shouldMergeIdleNeighborsAutomatically() {
    RangeLoadReport mergeRequest = new RangeLoadReport(60, 0, 0, 0, 0, "merge", null, true, false);
    RangeLoadReport idle = new RangeLoadReport(60, 0, 0, 0, 0, "cold", null, false, true);
    RangeLoadReport cold = new RangeLoadReport(60, 9, 9, 9, 0, "cold", null, false, false);
    reportLoads(mergeRequest, A, cold, A);
    assertThat(requestedMerges()).containsExactly(LEFT);
    reportLoads(idle, A, idle, B);
    assertThat(requestedMerges()).containsExactly(LEFT);
    reportLoads(idle, A, cold, B);
    assertThat(requestedMerges()).isEmpty();
    reportLoads(idle, A, idle, A);
    assertThat(requestedMerges()).as("together they may exceed the size limit").isEmpty();
    reportLoads(idle, A, idle, B);
    setState(new NodeId("c"), Member.State.DOWN);
    assertThat(requestedMerges()).isEmpty();
  }

  private void reportLoads(
      RangeLoadReport ofLeft, NodeId leftLeader, RangeLoadReport ofRight, NodeId rightLeader) {
    for (NodeId node : List.of(A, B)) {
      report(
          node,
          withLoad(replica(LEFT, 4, LEFT_KEYS, role(node, leftLeader), null), ofLeft),
          withLoad(replica(RIGHT, 7, RIGHT_KEYS, role(node, rightLeader), null), ofRight));
    }
  }

  private static Role role(NodeId node, NodeId leader) {
    return node.equals(leader) ? Role.LEADER : Role.VOTER;
  }

  private static ReplicaReport withLoad(ReplicaReport of, RangeLoadReport load) {
    return new ReplicaReport(
        of.range(),
        of.epoch(),
        of.keys(),
        of.role(),
        of.term(),
        of.replicas(),
        of.appliedIndex(),
        of.lastIndex(),
        of.failure(),
        of.merging(),
        of.isLeading() ? load : null);
  }

  private List<RangeId> requestedMerges() {
    return PlacementPlan.requestedMerges(
        new PlacementView(
            nodes, published, reports, Set.of(), Set.of(), PlacementView.Merges.NONE));
  }
}
