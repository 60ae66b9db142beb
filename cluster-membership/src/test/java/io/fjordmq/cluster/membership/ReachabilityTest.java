package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** How nodes react to others that do not respond, in virtual time; n0 leads the metadata. */
class ReachabilityTest {
  private static final long LONG_MILLIS = 20_000;

  private static ClusterMembership membership(ThreeNodes three, int node) {
    return three.nodes.get(node).membership();
  }

  private static void cut(ThreeNodes three, int one, int other) {
    three.cluster.network().cut(three.ids.get(one), three.ids.get(other));
    three.cluster.network().cut(three.ids.get(other), three.ids.get(one));
  }

  /** n1 keeps its lease; n2 reports at all times why it does not serve. */
  @Test
  void shouldNameThePartitionedNodes() throws IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      NodeId n1 = three.ids.get(1);
      NodeId n2 = three.ids.get(2);
      ClusterMembership partitioned = membership(three, 2);
      cut(three, 1, 2);
      three.await("its lease expires", () -> !partitioned.isServing());
      assertThat(partitioned.notServingReason())
          .isEqualTo("lease expired: network partition between node n2 and n1");
      assertThat(membership(three, 1).unreachable()).containsExactly(n2);
      assertThat(partitioned.unreachable()).containsExactly(n1);
      assertThat(membership(three, 0).unreachable()).isEmpty();
      three.await("its next incarnation begins", () -> three.state(n2) == Member.State.STARTING);
      three.simulation.run(LONG_MILLIS);
      assertThat(three.state(n2)).isEqualTo(Member.State.STARTING);
      assertThat(partitioned.notServingReason())
          .isEqualTo("not marked UP by the cluster yet: network partition between node n2 and n1");
      assertThat(membership(three, 1).isServing()).isTrue();
      three.cluster.network().heal();
      three.await("it serves", partitioned::isServing);
      assertThat(partitioned.unreachable()).isEmpty();
      assertThat(partitioned.incarnation()).isEqualTo(2);
      assertThat(membership(three, 1).incarnation()).isEqualTo(1);
    }
  }

  @Test
  void shouldIgnoreShortPartitions() throws IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      for (int i = 0; i < 5; i++) {
        cut(three, 1, 2);
        three.simulation.run(MembershipSettings.DEFAULT.unreachableAfter().toMillis() - 600);
        three.cluster.network().heal();
        three.simulation.run(1_500);
      }
      three.nodes.forEach(node -> assertThat(node.membership().incarnation()).isEqualTo(1));
      three.nodes.forEach(node -> assertThat(node.membership().isServing()).isTrue());
    }
  }

  /** A crashed node ends by its own lease and is counted soon after its restart. */
  @Test
  void shouldIgnoreACrashedNode() throws IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      three.crash(2);
      three.simulation.run(LONG_MILLIS);
      assertThat(membership(three, 0).unreachable()).isEmpty();
      ClusterMembership restarted = three.restart(2);
      three.await("it is registered", () -> three.state(three.ids.get(2)) != Member.State.DOWN);
      restarted.markReady();
      three.simulation.run(2_500);
      assertThat(restarted.isServing()).isTrue();
      for (int i = 0; i < 2; i++) {
        assertThat(membership(three, i).incarnation()).isEqualTo(1);
        assertThat(membership(three, i).isServing()).isTrue();
      }
    }
  }

  @Test
  void shouldNotReportOthersAsUnreachableAfterItsOwnPause() throws IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      ClusterMembership paused = membership(three, 2);
      three.nodes.get(2).host().process().pause(LONG_MILLIS);
      for (long passed = 0; passed < 2 * LONG_MILLIS; passed += 10) {
        three.simulation.run(10);
        assertThat(paused.unreachable()).as("after %d ms", passed).isEmpty();
      }
      assertThat(paused.isServing()).isTrue();
    }
  }
}
