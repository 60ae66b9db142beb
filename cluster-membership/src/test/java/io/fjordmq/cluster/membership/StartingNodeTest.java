package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
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
   * Goal: a node that starts slowly keeps its lease and is not counted meanwhile. Method: it
   * restarts before its lease has expired and is not ready for a minute.
   */
  @Test
  void shouldHoldALeaseWithoutBeingCountedBeforeItIsReady() throws IOException {
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
        assertThat(members.hasEnded(id, 1)).as("the previous incarnation has ended").isTrue();
        assertThat(members.isAlive(id, 2)).isTrue();
      }
      assertThat(membership.incarnation()).isEqualTo(2);
      assertThat(membership.notServingReason()).isEqualTo("still starting");
      membership.markReady();
      three.await("it serves", membership::isServing);
      assertThat(three.state(id)).isEqualTo(Member.State.UP);
      assertThat(membership.incarnation()).isEqualTo(2);
    }
  }

  /**
   * Goal: a node whose replicas lag far behind is not counted. Method: it is ready, and catches up
   * only when the test says so.
   */
  @Test
  void shouldNotBeCountedBeforeItHasCaughtUp() throws IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      NodeId id = three.ids.get(2);
      three.crash(2);
      ClusterMembership membership = three.restart(2);
      BlockingListener listener = new BlockingListener();
      membership.watch(listener);
      membership.markReady();
      three.await("it catches up", () -> listener.calls == 1);
      three.simulation.run(LONG_MILLIS);
      assertThat(three.state(id)).isEqualTo(Member.State.STARTING);
      Objects.requireNonNull(listener.done).complete(null);
      three.await("it catches up again, counted", () -> listener.calls == 2);
      assertThat(three.state(id)).isEqualTo(Member.State.UP);
      assertThat(membership.isServing()).isFalse();
      Objects.requireNonNull(listener.done).complete(null);
      three.await("it serves", membership::isServing);
    }
  }

  /**
   * Goal: nodes that start at the same time neither deadlock nor wait for a node that is not ready.
   * Method: all crash and start; two become ready.
   */
  @Test
  void shouldServeWhileAnotherNodeIsStillStarting() throws IOException {
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
      ready.forEach(ClusterMembership::markReady);
      three.await("two nodes serve", () -> ready.stream().allMatch(ClusterMembership::isServing));
      assertThat(three.state(three.ids.get(2))).isEqualTo(Member.State.STARTING);
    }
  }

  /** Goal: reporting a disk condition, or draining, does not make a STARTING node counted. */
  @Test
  void shouldOnlyChangeFromStartingToDownBeforeItIsReady() throws IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      NodeId id = three.ids.get(2);
      three.crash(2);
      ClusterMembership membership = three.restart(2);
      three.await(
          "it knows that it is starting",
          () -> membership.members().inState(Member.State.STARTING).contains(id));
      List<CompletableFuture<Void>> refused =
          List.of(
              membership.reportDiskState(Member.State.FULL),
              membership.reportDiskState(Member.State.UP),
              membership.setDraining(true),
              membership.decommission());
      refused.forEach(result -> assertThat(result).isCompletedExceptionally());
      membership.suspend("its disk is slow");
      three.await("it is suspended", () -> three.state(id) == Member.State.DOWN);
      membership.resume();
      three.await("its next incarnation has begun", () -> three.state(id) == Member.State.STARTING);
      membership.markReady();
      three.await("it serves", membership::isServing);
    }
  }

  /** Completes when the test says so. */
  private static final class BlockingListener implements MembershipListener {
    private int calls;
    private @Nullable CompletableFuture<Void> done;

    @Override
    public CompletableFuture<Void> beforeAdmission(long incarnation) {
      calls++;
      CompletableFuture<Void> future = new CompletableFuture<>();
      done = future;
      return future;
    }
  }
}
