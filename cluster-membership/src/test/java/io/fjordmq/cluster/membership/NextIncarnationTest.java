package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.LeaderRequest.Registration;
import io.fjordmq.cluster.metadata.MetadataGroup;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a node learns that its incarnation has ended, and when the next one begins. */
class NextIncarnationTest {
  private static final long LONG_MILLIS = 60_000;

  /**
   * Goal: a node that the cluster has marked DOWN begins its next incarnation even if its own copy
   * of the metadata never shows this, for example a new node without a replica. But it is not
   * counted, because its copy lags. Method: the copy stops advancing, the node is isolated until it
   * is DOWN, then the network heals.
   */
  @Test
  void shouldBeginEvenIfTheMetadataDoesNotReachTheNode() throws IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      NodeId id = three.ids.get(2);
      SimNode stale = three.nodes.get(2);
      stale.host().halt(MetadataGroup.GROUP, new IOException("its log rejects writes"));
      three.cluster.network().partition(three.ids, List.of(id));
      three.await("it is down", () -> three.state(id) == Member.State.DOWN);
      three.cluster.network().heal();
      three.await("its next incarnation has begun", () -> stale.membership().incarnation() == 2);
      three.simulation.run(2_000);
      assertThat(three.state(id)).isEqualTo(Member.State.STARTING);
      assertThat(stale.membership().members().alive())
          .as("its stale metadata shows the first incarnation")
          .contains(id);
    }
  }

  /**
   * Goal: a suspended node has no incarnation, even if it has already requested one. Method: the
   * node is isolated until it is DOWN; while the response to its next registration is in flight,
   * its disk stops.
   */
  @Test
  void shouldNotBeginWhileSuspendedEvenIfRegistered() throws IOException {
    SuspendDuringRegistration suspension = new SuspendDuringRegistration();
    try (ThreeNodes three = new ThreeNodes(suspension)) {
      NodeId id = three.ids.get(2);
      ClusterMembership membership = three.nodes.get(2).membership();
      three.cluster.network().partition(three.ids, List.of(id));
      three.await("it is down", () -> three.state(id) == Member.State.DOWN);
      suspension.target = membership;
      three.cluster.network().heal();
      three.await("it was registered", () -> suspension.target == null);
      three.simulation.run(LONG_MILLIS);
      assertThat(membership.isServing()).isFalse();
      assertThat(membership.notServingReason()).contains("the disk has stopped");
      assertThat(three.state(id)).isEqualTo(Member.State.DOWN);
      membership.resume();
      three.await("it serves again", membership::isServing);
      assertThat(three.state(id)).isEqualTo(Member.State.UP);
    }
  }

  /** Suspends a node just before it receives the response to its second registration. */
  private static final class SuspendDuringRegistration implements SimNode.Defect {
    private @Nullable ClusterMembership target;

    @Override
    public LeaderResponse respond(LeaderRequest request, LeaderResponse correct) {
      ClusterMembership membership = target;
      if (membership != null
          && request instanceof Registration
          && correct instanceof LeaderResponse.Registered) {
        target = null;
        membership.suspend("the disk has stopped");
      }
      return correct;
    }
  }
}
