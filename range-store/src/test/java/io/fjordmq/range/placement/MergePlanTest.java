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

/** Goal: what is done next about two ranges that are to become one, by what the nodes report. */
class MergePlanTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final RangeId LEFT = new RangeId("words", 1);
  private static final RangeId RIGHT = new RangeId("words", 2);
  private static final ReplicaSet BOTH = ReplicaSet.ofVoters(A, B);
  private static final KeyInterval BEFORE = keys("", "m");
  private static final KeyInterval AFTER = keys("m", null);
  private static final Merging DURABLE = new Merging(LEFT, 4, true);
  private static final Merging NOT_YET = new Merging(LEFT, 4, false);

  private final Map<NodeId, PlacementView.Node> nodes = new HashMap<>();
  private final Map<NodeId, RangeReports> reports = new HashMap<>();
  private final Map<RangeId, RangeDescriptor> published = new HashMap<>();
  private Set<RangeId> canceled = Set.of();
  private Set<RangeId> late = Set.of();
  private List<RangeId> wanted = List.of();

  @SuppressWarnings("NullAway") // does not see in class files that an array may be null
  private static KeyInterval keys(String start, @Nullable String end) {
    return new KeyInterval(start.getBytes(UTF_8), end == null ? null : end.getBytes(UTF_8));
  }

  @BeforeEach
  void twoNeighboursOnTwoNodes() {
    is(A, Member.State.UP);
    is(B, Member.State.UP);
    publish(LEFT, 4, BEFORE);
    publish(RIGHT, 7, AFTER);
  }

  private void is(NodeId node, Member.State state) {
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

  private void says(NodeId node, ReplicaReport... replicas) {
    reports.put(node, new RangeReports(1, List.of(replicas), Set.of()));
  }

  /** The left range is led by A, the right one by B. */
  private void say(long leftVersion, @Nullable Merging ofA, @Nullable Merging ofB) {
    says(
        A,
        replica(LEFT, leftVersion, BEFORE, Role.LEADER, null),
        replica(RIGHT, 7, AFTER, Role.VOTER, ofA));
    says(
        B,
        replica(LEFT, leftVersion, BEFORE, Role.VOTER, null),
        replica(RIGHT, 7, AFTER, Role.LEADER, ofB));
  }

  private List<Step> steps() {
    PlacementView.Merges merges = new PlacementView.Merges(wanted, late, canceled);
    return PlacementPlan.steps(
        new PlacementView(nodes, published, reports, Set.of(), Set.of(), merges),
        List.of(new StorePlacement("words", 2, false)));
  }

  private static RangeDescriptor range(RangeId id, long version, KeyInterval keys) {
    return new RangeDescriptor(id, keys, new RangeEpoch(version, 1), BOTH);
  }

  @Test
  void shouldFreezeTheRightRangeOnlyIfSomebodyWantsIt() {
    say(4, null, null);
    assertThat(steps()).isEmpty();
    wanted = List.of(LEFT);
    assertThat(steps())
        .containsExactly(new Step.Freeze(RIGHT, B, range(RIGHT, 7, AFTER), range(LEFT, 4, BEFORE)));
    wanted = List.of(RIGHT);
    assertThat(steps()).as("nothing follows it").isEmpty();
  }

  @Test
  void shouldBeginNothingWhileANodeIsNotUp() {
    say(4, null, null);
    wanted = List.of(LEFT);
    is(B, Member.State.FULL);
    assertThat(steps()).noneMatch(step -> step instanceof Step.Freeze);
    is(B, Member.State.DOWN);
    assertThat(steps()).noneMatch(step -> step instanceof Step.Freeze);
  }

  /**
   * It may be taken in again, with its log: there it would find the merge, and has no right range.
   */
  @Test
  void shouldBeginNothingWhileSomebodyHasOrMayHaveAnOldReplicaOfTheLeftRange() {
    NodeId other = new NodeId("c");
    say(4, null, null);
    wanted = List.of(LEFT);
    is(other, Member.State.DOWN);
    assertThat(steps()).as("it does not say").noneMatch(step -> step instanceof Step.Freeze);
    is(other, Member.State.UP);
    says(other, replica(LEFT, 4, BEFORE, Role.NONE, null));
    assertThat(steps()).as("it does").noneMatch(step -> step instanceof Step.Freeze);
    says(other);
    assertThat(steps()).as("it has none").anyMatch(step -> step instanceof Step.Freeze);
  }

  @Test
  void shouldAbsorbWhatStandsStillEverywhereWhoeverHasBegunIt() {
    say(4, DURABLE, DURABLE);
    assertThat(steps())
        .containsExactly(
            new Step.Absorb(LEFT, A, range(LEFT, 4, BEFORE), range(RIGHT, 7, AFTER), BOTH));
  }

  @Test
  void shouldWaitUntilTheLastReplicaStandsStillDurably() {
    say(4, DURABLE, null);
    assertThat(steps()).isEmpty();
    say(4, NOT_YET, DURABLE);
    assertThat(steps()).isEmpty();
    reports.remove(A);
    assertThat(steps()).isEmpty();
  }

  @Test
  void shouldGiveUpWhatTakesTooLongOrMissesANode() {
    say(4, DURABLE, null);
    late = Set.of(RIGHT);
    assertThat(steps())
        .singleElement()
        .satisfies(
            step -> assertThat(((Step.Renew) step).left()).isEqualTo(range(LEFT, 4, BEFORE)));
    late = Set.of();
    is(B, Member.State.DRAINING);
    assertThat(steps()).hasSize(1).allMatch(step -> step instanceof Step.Renew);
  }

  @Test
  void shouldGiveUpWhatAnOperatorCancels() {
    say(4, DURABLE, null);
    canceled = Set.of(RIGHT);
    assertThat(steps())
        .singleElement()
        .satisfies(step -> assertThat(((Step.Renew) step).why()).contains("operator"));
  }

  @Test
  void shouldLetTheRightRangeGoOnOnceTheLeftOneIsAnother() {
    publish(LEFT, 5, BEFORE);
    say(5, DURABLE, DURABLE);
    assertThat(steps()).containsExactly(new Step.Unfreeze(RIGHT, B));
  }

  @Test
  void shouldThawWhatStandsStillForARangeThatHasGone() {
    published.remove(LEFT);
    publish(new RangeId("words", 3), 9, BEFORE);
    ReplicaReport heir = replica(new RangeId("words", 3), 9, BEFORE, Role.LEADER, null);
    says(A, heir, replica(RIGHT, 7, AFTER, Role.VOTER, DURABLE));
    says(B, heir, replica(RIGHT, 7, AFTER, Role.LEADER, DURABLE));
    assertThat(steps()).contains(new Step.Unfreeze(RIGHT, B));
  }

  @Test
  void shouldPublishTheLeftRangeAndDeleteTheRightOneAtOnce() {
    says(A, replica(LEFT, 8, KeyInterval.ALL, Role.LEADER, null));
    says(
        B,
        replica(LEFT, 4, BEFORE, Role.VOTER, null),
        replica(RIGHT, 7, AFTER, Role.LEADER, DURABLE));
    assertThat(steps())
        .containsExactly(
            new Step.Reshape(LEFT, List.of(range(LEFT, 8, KeyInterval.ALL)), Set.of(RIGHT)));
  }

  @Test
  void shouldPublishWhatWasMergedAndSplitAgainBeforeAnybodyLooked() {
    RangeId child = new RangeId("words", 5);
    says(
        A,
        replica(LEFT, 9, keys("", "c"), Role.LEADER, null),
        replica(child, 9, keys("c", null), Role.LEADER, null));
    says(B, replica(RIGHT, 7, AFTER, Role.LEADER, DURABLE));
    assertThat(steps())
        .containsExactly(
            new Step.Reshape(
                LEFT,
                List.of(range(LEFT, 9, keys("", "c")), range(child, 9, keys("c", null))),
                Set.of(RIGHT)));
  }

  @Test
  void shouldRemoveAndForgetWhatIsLeftOfARangeThatHasGone() {
    published.remove(RIGHT);
    publish(LEFT, 8, KeyInterval.ALL);
    says(A, replica(LEFT, 8, KeyInterval.ALL, Role.LEADER, null));
    says(B, replica(RIGHT, 6, AFTER, Role.NONE, null));
    assertThat(steps()).contains(new Step.RemoveStaleReplica(RIGHT, B, Set.of(LEFT)));

    says(
        B,
        replica(LEFT, 4, BEFORE, Role.VOTER, null),
        replica(RIGHT, 7, AFTER, Role.VOTER, DURABLE));
    assertThat(steps()).as("its neighbour there takes it in").isEmpty();

    ReplicaReport whole = replica(LEFT, 8, KeyInterval.ALL, Role.VOTER, null);
    reports.put(B, new RangeReports(1, List.of(whole), Set.of(RIGHT)));
    assertThat(steps()).containsExactly(new Step.Forget(RIGHT, B));
  }

  /** It was frozen when its node left the group, and does not hear that it went on. */
  @Test
  void shouldRemoveWhatStandsStillForAMergeThatWasGivenUp() {
    RangeId other = new RangeId("words", 5);
    published.remove(RIGHT);
    publish(LEFT, 5, BEFORE);
    publish(other, 9, AFTER);
    says(
        A,
        replica(LEFT, 5, BEFORE, Role.LEADER, null),
        replica(other, 9, AFTER, Role.LEADER, null));
    ReplicaReport leftover = replica(RIGHT, 7, AFTER, Role.VOTER, DURABLE);
    says(B, replica(LEFT, 5, BEFORE, Role.VOTER, null), leftover);
    assertThat(steps()).contains(new Step.RemoveStaleReplica(RIGHT, B, Set.of(other)));
    says(B, replica(LEFT, 4, BEFORE, Role.VOTER, null), leftover);
    assertThat(steps())
        .as("its neighbour there may take it in")
        .noneMatch(Step.RemoveStaleReplica.class::isInstance);
  }

  /** Whoever leads both knows what they have to do together; else each speaks for its own. */
  @Test
  void shouldMergeByItselfWhatItsLeadersFindIdle() {
    ShapeReport wish = new ShapeReport(60, 0, 0, 0, 0, "merge", null, true, false);
    ShapeReport idle = new ShapeReport(60, 0, 0, 0, 0, "cold", null, false, true);
    ShapeReport cold = new ShapeReport(60, 9, 9, 9, 0, "cold", null, false, false);
    lead(wish, A, cold, A);
    assertThat(wishes()).containsExactly(LEFT);
    lead(idle, A, idle, B);
    assertThat(wishes()).containsExactly(LEFT);
    lead(idle, A, cold, B);
    assertThat(wishes()).isEmpty();
    lead(idle, A, idle, A);
    assertThat(wishes()).as("together they may have too much").isEmpty();
    lead(idle, A, idle, B);
    is(new NodeId("c"), Member.State.DOWN);
    assertThat(wishes()).isEmpty();
  }

  private void lead(
      ShapeReport ofLeft, NodeId leftLeader, ShapeReport ofRight, NodeId rightLeader) {
    for (NodeId node : List.of(A, B)) {
      says(
          node,
          shaped(replica(LEFT, 4, BEFORE, role(node, leftLeader), null), ofLeft),
          shaped(replica(RIGHT, 7, AFTER, role(node, rightLeader), null), ofRight));
    }
  }

  private static Role role(NodeId node, NodeId leader) {
    return node.equals(leader) ? Role.LEADER : Role.VOTER;
  }

  private static ReplicaReport shaped(ReplicaReport of, ShapeReport shape) {
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
        of.isLeading() ? shape : null);
  }

  private List<RangeId> wishes() {
    return PlacementPlan.requestedMerges(
        new PlacementView(
            nodes, published, reports, Set.of(), Set.of(), PlacementView.Merges.NONE));
  }
}
