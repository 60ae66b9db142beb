package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.common.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Goal: a subscription waits for the retained publishes in flight on all nodes, and no others. */
class RetainedBarrierTest {
  private static final Duration MAX_WAIT = Duration.ofSeconds(4);

  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final VirtualTimers timers = new VirtualTimers();
  private final List<Long> early = new ArrayList<>();
  private final TestNode a = new TestNode("a");
  private final TestNode b = new TestNode("b");
  private int requestsToB;

  private final class TestNode {
    final NodeId id;
    final TestMembership membership;
    final RetainedBarrier barrier;

    TestNode(String name) {
      id = new NodeId(name);
      membership = new TestMembership(id);
      LoopbackPeers.Node peer = peers.start(id);
      barrier =
          new RetainedBarrier(
              membership,
              peer,
              timers,
              MAX_WAIT,
              new DeliveryObserver() {
                @Override
                public void onRetainedReadEarly(long subscriptions) {
                  early.add(subscriptions);
                }
              });
      barrier.start(
          (service, handler) ->
              peer.serve(
                  service,
                  (from, request) -> {
                    requestsToB++;
                    return handler.handle(from, request);
                  }));
    }
  }

  /** Time that passes when the test says so. */
  private static final class VirtualTimers implements Timers {
    private record Task(long at, Runnable run) {}

    private final PriorityQueue<Task> tasks =
        new PriorityQueue<>(Comparator.comparingLong(Task::at));
    private long now;

    @Override
    public long nowMillis() {
      return now;
    }

    @Override
    public void schedule(long delayMillis, Runnable task) {
      tasks.add(new Task(now + delayMillis, task));
    }

    void advance(Duration time) {
      long end = now + time.toMillis();
      while (!tasks.isEmpty() && tasks.peek().at <= end) {
        Task next = tasks.remove();
        now = next.at;
        next.run.run();
      }
      now = end;
    }
  }

  RetainedBarrierTest() {
    Stream.of(a, b)
        .forEach(
            node -> {
              node.membership.setUp(a.id, 1);
              node.membership.setUp(b.id, 1);
            });
  }

  @Test
  void shouldNotWaitIfNothingIsInFlight() {
    assertThat(a.barrier.await()).isCompleted();
    b.barrier.own().begin();
    assertThat(a.barrier.await()).as("nothing was reported").isCompleted();
    assertThat(requestsToB).isZero();
  }

  @Test
  void shouldWaitForThePublishesOfThisNode() {
    RetainedInFlight.Epoch publish = a.barrier.own().begin();
    CompletableFuture<Void> wait = a.barrier.await();
    assertThat(wait).isNotDone();
    a.barrier.own().end(publish);
    assertThat(wait).isCompleted();
    assertThat(requestsToB).isZero();
  }

  @Test
  void shouldWaitForThePublishesOfANodeThatReportsSome() {
    RetainedInFlight.Epoch publish = b.barrier.own().begin();
    assertThat(b.barrier.exist()).isTrue();
    a.barrier.onReported(b.id);
    CompletableFuture<Void> wait = a.barrier.await();
    b.barrier.own().begin();
    assertThat(wait).isNotDone();
    b.barrier.own().end(publish);
    assertThat(wait).as("it does not wait for the later one").isCompleted();
    assertThat(a.barrier.await()).as("nothing was reported since").isCompleted();
    assertThat(requestsToB).isEqualTo(1);
    assertThat(early).isEmpty();
  }

  @Test
  void shouldSendOneRequestForAllThatWait() {
    RetainedInFlight.Epoch publish = b.barrier.own().begin();
    a.barrier.onReported(b.id);
    List<CompletableFuture<Void>> waits = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      a.barrier.onReported(b.id);
      waits.add(a.barrier.await());
    }
    assertThat(requestsToB).isEqualTo(1);
    b.barrier.own().end(publish);
    assertThat(waits).allMatch(CompletableFuture::isDone);
    assertThat(requestsToB).as("the second request covers those after the first").isEqualTo(2);
  }

  @Test
  void shouldNotRelyOnARequestThatWasSentBeforeTheSubscription() {
    RetainedInFlight.Epoch first = b.barrier.own().begin();
    a.barrier.onReported(b.id);
    CompletableFuture<Void> earlier = a.barrier.await();
    RetainedInFlight.Epoch second = b.barrier.own().begin();
    a.barrier.onReported(b.id);
    CompletableFuture<Void> later = a.barrier.await();
    b.barrier.own().end(first);
    assertThat(earlier).isCompleted();
    assertThat(later).isNotDone();
    b.barrier.own().end(second);
    assertThat(later).isCompleted();
  }

  @Test
  void shouldNotWaitLongerThanTheLimit() {
    b.barrier.own().begin();
    a.barrier.onReported(b.id);
    CompletableFuture<Void> first = a.barrier.await();
    CompletableFuture<Void> second = a.barrier.await();
    CompletableFuture<Void> third = a.barrier.await();
    timers.advance(MAX_WAIT.minusMillis(1));
    assertThat(first).isCompleted();
    assertThat(second).isNotDone();
    timers.advance(Duration.ofMillis(1));
    assertThat(second).isCompleted();
    assertThat(third).isCompleted();
    assertThat(early).containsExactly(1L, 2L);
    assertThat(a.barrier.await()).as("it is still in flight").isNotDone();
  }

  @Test
  void shouldAskAnUnreachableNodeAgain() {
    peers.cut(a.id, b.id);
    a.barrier.onReported(b.id);
    CompletableFuture<Void> wait = a.barrier.await();
    timers.advance(Duration.ofSeconds(1));
    assertThat(wait).isNotDone();
    peers.heal();
    timers.advance(Duration.ofSeconds(1));
    assertThat(wait).isCompleted();
    assertThat(early).isEmpty();
  }

  @Test
  void shouldNotWaitForANodeThatHasEnded() {
    peers.cut(a.id, b.id);
    a.barrier.onReported(b.id);
    CompletableFuture<Void> wait = a.barrier.await();
    a.membership.setState(b.id, Member.State.DOWN);
    timers.advance(Duration.ofSeconds(1));
    assertThat(wait).isCompleted();
    assertThat(early).isEmpty();
  }

  @Test
  void shouldNotWaitForANodeOfAnOlderVersion() {
    NodeId old = new NodeId("old");
    peers.start(old);
    a.membership.setUp(old, 1);
    a.barrier.onReported(old);
    assertThat(a.barrier.await()).isCompleted();
  }

  @Test
  void shouldKeepTheWireFormat() {
    LoopbackPeers.Node c = peers.start(new NodeId("c"));
    byte[] request = HexFormat.of().parseHex("01");
    assertThat(c.call(a.id, RetainedBarrier.SERVICE, request, MAX_WAIT).join())
        .containsExactly(0x01);
    assertThat(c.call(a.id, RetainedBarrier.SERVICE, HexFormat.of().parseHex("02"), MAX_WAIT))
        .isCompletedExceptionally();
  }
}
