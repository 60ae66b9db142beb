package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.membership.LeaderRequest.Registration;
import io.fjordmq.cluster.metadata.MetadataGroup;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a node learns that its life is over, and when the next one begins. */
class NextLifeTest {
  private static final long LONG_MILLIS = 60_000;

  /**
   * Goal: a node that the cluster counts as down begins its next life though its own copy of the
   * metadata never says so, as that of a newcomer that was given none. But nobody counts it: its
   * copy is behind. Method: the copy stops, the node is cut off until it is down, and comes back.
   */
  @Test
  void shouldBeginThoughTheMetadataDoNotReachTheNode() throws ConsensusException, IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      NodeId id = three.ids.get(2);
      SimNode stale = three.nodes.get(2);
      stale.host().halt(MetadataGroup.GROUP, new IOException("its log takes nothing any more"));
      three.cluster.network().partition(three.ids, List.of(id));
      three.await("it is down", () -> three.state(id) == Member.State.DOWN);
      three.cluster.network().heal();
      three.await("it has its next life", () -> stale.membership().incarnation() == 2);
      three.simulation.run(2_000);
      assertThat(three.state(id)).isEqualTo(Member.State.STARTING);
      assertThat(stale.membership().members().alive())
          .as("by what it knew last, its first")
          .contains(id);
    }
  }

  /**
   * Goal: a node that rests has no life, also if it has already asked for one. Method: it is cut
   * off until it is down; while the answer to its next registration is on the way, its disk stops.
   */
  @Test
  void shouldNotBeginWhileItRestsThoughItHadRegistered() throws ConsensusException, IOException {
    RestsMeanwhile rests = new RestsMeanwhile();
    try (ThreeNodes three = new ThreeNodes(rests)) {
      NodeId id = three.ids.get(2);
      ClusterMembership membership = three.nodes.get(2).membership();
      three.cluster.network().partition(three.ids, List.of(id));
      three.await("it is down", () -> three.state(id) == Member.State.DOWN);
      rests.who = membership;
      three.cluster.network().heal();
      three.await("it was registered", () -> rests.who == null);
      three.simulation.run(LONG_MILLIS);
      assertThat(membership.isServing()).isFalse();
      assertThat(membership.notServingBecause()).contains("the disk has stopped");
      assertThat(three.state(id)).isEqualTo(Member.State.DOWN);
      membership.resume();
      three.await("it serves again", membership::isServing);
      assertThat(three.state(id)).isEqualTo(Member.State.UP);
    }
  }

  /** Has a node rest when it is about to be told that it is registered for its second life. */
  private static final class RestsMeanwhile implements SimNode.Defect {
    private @Nullable ClusterMembership who;

    @Override
    public LeaderAnswer answer(LeaderRequest request, LeaderAnswer right) {
      ClusterMembership resting = who;
      if (resting != null
          && request instanceof Registration
          && right instanceof LeaderAnswer.Registered) {
        who = null;
        resting.suspend("the disk has stopped");
      }
      return right;
    }
  }
}
