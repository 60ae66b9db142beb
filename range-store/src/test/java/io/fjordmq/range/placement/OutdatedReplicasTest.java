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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * A range was split; one node has an outdated replica from before the split, which prevents it from
 * getting the new range, although it should become its second voter.
 */
class OutdatedReplicasTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final NodeId D = new NodeId("d");
  private static final RangeId PARENT = new RangeId("words", 1);
  private static final RangeId CHILD = new RangeId("words", 2);
  private static final byte[] SPLIT_KEY = {9};
  private static final KeyInterval LEFT = new KeyInterval(new byte[0], SPLIT_KEY);
  private static final KeyInterval RIGHT = new KeyInterval(SPLIT_KEY, new byte[] {20});
  private static final KeyInterval WHOLE = new KeyInterval(new byte[0], new byte[] {20});
  private static final RangeEpoch CURRENT_EPOCH = new RangeEpoch(2, 1);
  private static final ReplicaSet PARENT_REPLICAS = ReplicaSet.ofVoters(A, B);
  private static final ReplicaSet CHILD_REPLICAS = ReplicaSet.ofVoters(A);
  private static final ReplicaSet WITH_LEARNER = new ReplicaSet(Set.of(A, B), Set.of(C));

  private final Map<NodeId, List<ReplicaReport>> replicas =
      new HashMap<>(Map.of(A, new ArrayList<>(), B, new ArrayList<>(), C, new ArrayList<>()));
  private ReplicaSet parentReplicas = PARENT_REPLICAS;
  private ReplicaSet childReplicas = CHILD_REPLICAS;

  private void report(
      NodeId node, RangeId id, RangeEpoch epoch, KeyInterval keys, Role role, ReplicaSet set) {
    List<ReplicaReport> all = new ArrayList<>(replicas.getOrDefault(node, List.of()));
    all.add(new ReplicaReport(id, epoch, keys, role, 3, set, 9, 9, null, null, null));
    replicas.put(node, all);
  }

  private void reportLeaders() {
    report(A, PARENT, CURRENT_EPOCH, LEFT, Role.LEADER, parentReplicas);
    report(B, PARENT, CURRENT_EPOCH, LEFT, Role.VOTER, parentReplicas);
    report(A, CHILD, CURRENT_EPOCH, RIGHT, Role.LEADER, childReplicas);
  }

  private List<Step> steps(boolean allAreUp) {
    PlacementView.Node up = new PlacementView.Node(Member.State.UP, false);
    PlacementView.Node down = new PlacementView.Node(Member.State.DOWN, true);
    Map<NodeId, RangeReports> reports = new HashMap<>();
    replicas.forEach((node, all) -> reports.put(node, new RangeReports(1, all, Set.of())));
    Map<NodeId, PlacementView.Node> nodes = new HashMap<>(Map.of(A, up, B, up, C, up));
    if (!allAreUp) {
      nodes.put(D, down);
    }
    return PlacementPlan.steps(
        new PlacementView(
            nodes,
            Map.of(
                PARENT,
                new RangeDescriptor(PARENT, LEFT, CURRENT_EPOCH, parentReplicas),
                CHILD,
                new RangeDescriptor(CHILD, RIGHT, CURRENT_EPOCH, childReplicas)),
            reports,
            Set.of(),
            Set.of(),
            PlacementView.Merges.NONE),
        List.of(new StorePlacement("words", 2, false)));
  }

  @Test
  void shouldMakeTheOldReplicaALearnerWhileAMemberIsDown() {
    reportLeaders();
    report(C, PARENT, RangeEpoch.FIRST, WHOLE, Role.NONE, ReplicaSet.ofVoters(A, C));
    assertThat(steps(false))
        .as("creating a replica of the new range is not retried")
        .containsExactly(new Step.Change(PARENT, A, PARENT_REPLICAS, WITH_LEARNER));
  }

  @Test
  void shouldCreateTheNewReplicaOnceNothingBlocksIt() {
    parentReplicas = WITH_LEARNER;
    reportLeaders();
    report(C, PARENT, CURRENT_EPOCH, LEFT, Role.LEARNER, WITH_LEARNER);
    assertThat(steps(false))
        .containsExactlyInAnyOrder(
            new Step.Change(PARENT, A, WITH_LEARNER, PARENT_REPLICAS),
            new Step.Ensure(CHILD, C, CHILD_REPLICAS));
  }

  @Test
  void shouldRemoveTheOldReplicaWhenEveryMemberIsUp() {
    reportLeaders();
    report(C, PARENT, RangeEpoch.FIRST, WHOLE, Role.NONE, ReplicaSet.ofVoters(A, C));
    assertThat(steps(true)).contains(new Step.Drop(PARENT, C, A, PARENT_REPLICAS, 9));
  }

  /**
   * A node that is already a member is never ordered to create a replica: its replica has to come
   * with the split.
   */
  @Test
  void shouldMakeTheOldReplicaALearnerIfTheChildListsItsNode() {
    childReplicas = ReplicaSet.ofVoters(A, C);
    reportLeaders();
    report(C, PARENT, RangeEpoch.FIRST, WHOLE, Role.NONE, ReplicaSet.ofVoters(A, C));
    assertThat(steps(true))
        .containsExactly(new Step.Change(PARENT, A, PARENT_REPLICAS, WITH_LEARNER));
    report(C, CHILD, CURRENT_EPOCH, RIGHT, Role.VOTER, childReplicas);
    assertThat(steps(true)).contains(new Step.Drop(PARENT, C, A, PARENT_REPLICAS, 9));
  }
}
