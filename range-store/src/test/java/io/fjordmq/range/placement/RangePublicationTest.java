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
import io.fjordmq.range.store.ReplicaStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When the result of a split is published in the metadata. */
class RangePublicationTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final RangeId PARENT = new RangeId("words", 1);
  private static final RangeId CHILD = new RangeId("words", 5);
  private static final RangeId GRANDCHILD = new RangeId("words", 6);
  private static final ReplicaSet BOTH = ReplicaSet.ofVoters(A, B);
  private static final List<StorePlacement> STORES = List.of(new StorePlacement("words", 2, false));

  private final Map<NodeId, RangeReports> reports = new HashMap<>();

  @SuppressWarnings("NullAway") // the checker does not see in class files that an array may be null
  private static KeyInterval keys(String start, @Nullable String end) {
    return new KeyInterval(start.getBytes(UTF_8), end == null ? null : end.getBytes(UTF_8));
  }

  private static ReplicaReport leader(RangeId range, long version, KeyInterval keys) {
    return replica(range, version, keys, ReplicaStatus.Role.LEADER);
  }

  private static ReplicaReport replica(
      RangeId range, long version, KeyInterval keys, ReplicaStatus.Role role) {
    return new ReplicaReport(
        range, new RangeEpoch(version, 1), keys, role, 3, BOTH, 9, 9, null, null, null);
  }

  private void report(NodeId node, ReplicaReport... replicas) {
    reports.put(node, new RangeReports(1, List.of(replicas), Set.of()));
  }

  private List<Step> steps() {
    PlacementView.Node up = new PlacementView.Node(Member.State.UP, false);
    RangeDescriptor published =
        new RangeDescriptor(PARENT, KeyInterval.ALL, new RangeEpoch(1, 4), BOTH);
    return PlacementPlan.steps(
        new PlacementView(
            Map.of(A, up, B, up),
            Map.of(PARENT, published),
            reports,
            Set.of(),
            Set.of(),
            PlacementView.Merges.NONE),
        STORES);
  }

  private static RangeDescriptor descriptor(RangeId id, long version, KeyInterval keys) {
    return new RangeDescriptor(id, keys, new RangeEpoch(version, 1), BOTH);
  }

  @Test
  void shouldPublishAllPartsInOneStep() {
    report(
        A,
        leader(PARENT, 2, keys("", "m")),
        replica(CHILD, 2, keys("m", null), ReplicaStatus.Role.VOTER));
    report(
        B,
        replica(PARENT, 1, keys("", null), ReplicaStatus.Role.VOTER),
        leader(CHILD, 2, keys("m", null)));
    assertThat(steps())
        .containsExactly(
            new Step.PublishRanges(
                PARENT,
                List.of(
                    descriptor(PARENT, 2, keys("", "m")), descriptor(CHILD, 2, keys("m", null))),
                Set.of()));
  }

  @Test
  void shouldPublishFurtherSplitsTogether() {
    report(
        A,
        leader(PARENT, 2, keys("", "m")),
        leader(CHILD, 3, keys("m", "s")),
        leader(GRANDCHILD, 3, keys("s", null)));
    assertThat(steps())
        .hasSize(1)
        .allMatch(step -> ((Step.PublishRanges) step).current().size() == 3);
  }

  @Test
  void shouldTakeNoStepUntilAllPartsAreReported() {
    report(A, leader(PARENT, 2, keys("", "m")));
    report(B);
    assertThat(steps()).as("no report of the remaining keys").isEmpty();
    report(B, replica(CHILD, 2, keys("m", null), ReplicaStatus.Role.VOTER));
    assertThat(steps()).as("it has no leader yet").isEmpty();
    report(B, leader(CHILD, 3, keys("m", "s")));
    assertThat(steps()).as("a part of it is missing").isEmpty();
  }

  @Test
  void shouldSplitARangeThatHasNotChangedSincePublished() {
    report(A, leader(PARENT, 1, KeyInterval.ALL));
    PlacementView.Node up = new PlacementView.Node(Member.State.UP, false);
    RangeDescriptor published =
        new RangeDescriptor(PARENT, KeyInterval.ALL, new RangeEpoch(1, 4), BOTH);
    PlacementView view =
        new PlacementView(
            Map.of(A, up),
            Map.of(PARENT, published),
            reports,
            Set.of(),
            Set.of(),
            PlacementView.Merges.NONE);
    byte[] key = {1};
    assertThat(PlacementPlan.splits(view, Map.of(PARENT, key)))
        .containsExactly(new Step.Split(PARENT, A, 1, key));
    report(A, leader(PARENT, 2, keys("", "m")));
    assertThat(PlacementPlan.splits(view, Map.of(PARENT, key, CHILD, key))).isEmpty();
  }
}
