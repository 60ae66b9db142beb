package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A node is counted once it is ready, not once it has registered. */
class StartingNodeTest {
  private static final long LONG_MILLIS = 60_000;

  /**
   * Goal: a node that takes long to start keeps its lease and is counted by nobody meanwhile.
   * Method: it is restarted before its lease has run out, and not ready for a minute.
   */
  @Test
  void shouldHoldALeaseAndNotBeCountedBeforeItIsReady() throws ConsensusException, IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      NodeId id = three.ids.get(2);
      three.crash(2);
      ClusterMembership membership = three.restart(2);
      three.await("it is registered", () -> three.state(id) == Member.State.STARTING);
      three.simulation.run(LONG_MILLIS);
      for (SimNode node : three.nodes) {
        Members members = node.membership().members();
        assertThat(members.alive()).containsExactlyInAnyOrderElementsOf(three.ids);
        assertThat(members.counted()).containsExactlyInAnyOrder(three.ids.get(0), three.ids.get(1));
        assertThat(members.hasEnded(id, 1)).as("the life before is over").isTrue();
        assertThat(members.isAlive(id, 2)).isTrue();
      }
      assertThat(membership.incarnation()).isEqualTo(2);
      assertThat(membership.notServingBecause()).isEqualTo("still starting");
      membership.ready();
      three.await("it serves", membership::isServing);
      assertThat(three.state(id)).isEqualTo(Member.State.UP);
      assertThat(membership.incarnation()).isEqualTo(2);
    }
  }

  /**
   * Goal: nobody counts a node whose replicas are far behind. Method: it is ready, and catching up
   * does not end before the test says so.
   */
  @Test
  void shouldNotBeCountedBeforeItHasCaughtUp() throws ConsensusException, IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      NodeId id = three.ids.get(2);
      three.crash(2);
      ClusterMembership membership = three.restart(2);
      CatchingUp catchingUp = new CatchingUp();
      membership.watch(catchingUp);
      membership.ready();
      three.await("it catches up", () -> catchingUp.asked == 1);
      three.simulation.run(LONG_MILLIS);
      assertThat(three.state(id)).isEqualTo(Member.State.STARTING);
      Objects.requireNonNull(catchingUp.done).complete(null);
      three.await("it is asked again, counted", () -> catchingUp.asked == 2);
      assertThat(three.state(id)).isEqualTo(Member.State.UP);
      assertThat(membership.isServing()).isFalse();
      Objects.requireNonNull(catchingUp.done).complete(null);
      three.await("it serves", membership::isServing);
    }
  }

  /**
   * Goal: nobody waits for another in a circle when all start at once, nor for one that is not
   * ready. Method: all crash and start; two become ready.
   */
  @Test
  void shouldServeWhileAnotherIsStillStarting() throws ConsensusException, IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      for (int node = 0; node < 3; node++) {
        three.crash(node);
      }
      for (int node = 0; node < 3; node++) {
        three.restart(node);
      }
      three.simulation.run(LONG_MILLIS);
      three.ids.forEach(id -> assertThat(three.state(id)).isEqualTo(Member.State.STARTING));
      List<ClusterMembership> ready =
          three.nodes.stream().limit(2).map(SimNode::membership).toList();
      ready.forEach(ClusterMembership::ready);
      three.await("two serve", () -> ready.stream().allMatch(ClusterMembership::isServing));
      assertThat(three.state(three.ids.get(2))).isEqualTo(Member.State.STARTING);
    }
  }

  /** Goal: what a node says of its disk, or that it drains, does not have it counted. */
  @Test
  void shouldComeToNoOtherStateBeforeItIsReadyButDown() throws ConsensusException, IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      NodeId id = three.ids.get(2);
      three.crash(2);
      ClusterMembership membership = three.restart(2);
      three.await(
          "it knows that it is starting",
          () -> membership.members().in(Member.State.STARTING).contains(id));
      List<CompletableFuture<Void>> refused =
          List.of(
              membership.condition(Member.State.FULL),
              membership.condition(Member.State.UP),
              membership.drain(true),
              membership.decommission());
      refused.forEach(said -> assertThat(said).isCompletedExceptionally());
      membership.suspend("its disk is slow");
      three.await("it rests", () -> three.state(id) == Member.State.DOWN);
      membership.resume();
      three.await("it has its next life", () -> three.state(id) == Member.State.STARTING);
      membership.ready();
      three.await("it serves", membership::isServing);
    }
  }

  /** Takes until the test says that it is done. */
  private static final class CatchingUp implements MembershipListener {
    private int asked;
    private @Nullable CompletableFuture<Void> done;

    @Override
    public CompletableFuture<Void> beforeAdmission(long incarnation) {
      asked++;
      CompletableFuture<Void> future = new CompletableFuture<>();
      done = future;
      return future;
    }
  }
}
