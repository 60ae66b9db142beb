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

/** Leadership transfers because of load, where the numbers of leaders are already even. */
class LeaderLoadBalanceTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final ReplicaSet BOTH = new ReplicaSet(Set.of(A, B), Set.of());

  private final Map<NodeId, List<ReplicaReport>> reports =
      new HashMap<>(Map.of(A, new ArrayList<>(), B, new ArrayList<>()));
  private final Map<RangeId, RangeDescriptor> published = new HashMap<>();

  /** A range that both nodes vote for. */
  private RangeId range(NodeId leader, long requests, long seconds) {
    RangeId id = new RangeId("inbox", published.size() + 1L);
    published.put(id, new RangeDescriptor(id, KeyInterval.ALL, RangeEpoch.FIRST, BOTH));
    RangeLoadReport load =
        new RangeLoadReport(seconds, requests, 0, 0, 0, "cold", null, false, false);
    reports.forEach(
        (node, replicas) -> {
          boolean leads = node.equals(leader);
          replicas.add(
              new ReplicaReport(
                  id,
                  RangeEpoch.FIRST,
                  KeyInterval.ALL,
                  leads ? Role.LEADER : Role.VOTER,
                  1,
                  BOTH,
                  9,
                  9,
                  null,
                  null,
                  leads ? load : null));
        });
    return id;
  }

  private List<Step> steps() {
    PlacementView.Node up = new PlacementView.Node(Member.State.UP, false);
    Map<NodeId, RangeReports> reportsByNode = new HashMap<>();
    reports.forEach(
        (node, replicas) -> reportsByNode.put(node, new RangeReports(1, replicas, Set.of())));
    PlacementView view =
        new PlacementView(
            Map.of(A, up, B, up),
            published,
            reportsByNode,
            Set.of(),
            Set.of(),
            PlacementView.Merges.NONE);
    return PlacementPlan.steps(view, List.of(new StorePlacement("inbox", 2, false)));
  }

  @Test
  void shouldSwapTwoLeadersWhenOneNodeHasMuchMoreLoad() {
    RangeId busy = range(A, 4_000, 60);
    range(A, 3_000, 60);
    range(B, 100, 60);
    RangeId idle = range(B, 200, 60);
    assertThat(steps())
        .containsExactlyInAnyOrder(new Step.Transfer(busy, A, B), new Step.Transfer(idle, B, A));
  }

  @Test
  void shouldTransferOneLeaderWhenTheNodeLeadsOneMore() {
    range(A, 3_000, 60);
    RangeId moved = range(A, 2_000, 60);
    range(B, 100, 60);
    assertThat(steps()).containsExactly(new Step.Transfer(moved, A, B));
  }

  @Test
  void shouldNotMoveLeadersForASmallGain() {
    range(A, 4_000, 60); // one busy range costs the same wherever it is led
    range(B, 100, 60);
    assertThat(steps()).isEmpty();
  }

  @Test
  void shouldIgnoreSmallDifferences() {
    range(A, 300, 60);
    range(A, 190, 60);
    range(B, 0, 60);
    range(B, 0, 60);
    assertThat(steps()).isEmpty();
  }

  @Test
  void shouldWaitUntilEveryLeaderHasMeasuredLongEnough() {
    range(A, 4_000, 60);
    range(A, 3_000, 60);
    range(B, 100, 9);
    range(B, 200, 60);
    assertThat(steps()).isEmpty();
  }
}
