package io.fjordmq.broker.dispatch;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static io.fjordmq.api.Qos.AT_MOST_ONCE;
import static io.fjordmq.api.Qos.EXACTLY_ONCE;
import static io.fjordmq.broker.delivery.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.delivery.DeliveryWorld;
import io.fjordmq.broker.delivery.FakeSession;
import io.fjordmq.router.Receiver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: this node has a route exactly while a subscription needs it, despite failures. */
class LocalSubscriptionsTest {
  private static final TopicFilter FILTER = TopicFilter.parse("a");
  private static final SubscriptionOptions QOS1 = SubscriptionOptions.ofQos(AT_LEAST_ONCE);

  private final DeliveryWorld world = new DeliveryWorld();
  private final FakeSession first = world.connect("first", world.loop);
  private final FakeSession second = world.connect("second", world.loop);

  @Test
  void shouldAddOneRouteForManySubscribersAndRemoveItWithTheLast() {
    assertThat(world.subscribe(first, "a", AT_LEAST_ONCE)).isTrue();
    assertThat(world.subscribe(second, "a", AT_MOST_ONCE)).isTrue();
    assertThat(world.subscribe(second, "a", AT_LEAST_ONCE)).as("replaces").isFalse();
    assertThat(world.router.calls()).containsExactly("add a");

    assertThat(world.local.unsubscribe(first, FILTER).join()).isTrue();
    assertThat(world.local.unsubscribe(first, FILTER).join()).isFalse();
    assertThat(world.router.calls()).containsExactly("add a");
    assertThat(world.local.unsubscribe(second, FILTER).join()).isTrue();

    assertThat(world.router.calls()).containsExactly("add a", "remove a");
    assertThat(world.publisher.status().filters()).isZero();
    assertThat(world.publisher.status().heldRoutes()).isZero();
  }

  @Test
  void shouldMakeEverySubscriberWaitForTheRoute() {
    world.router.hold();
    CompletableFuture<Boolean> one = world.local.subscribe(first, FILTER, QOS1);
    CompletableFuture<Boolean> two = world.local.subscribe(second, FILTER, QOS1);

    assertThat(one).isNotDone();
    assertThat(two).isNotDone();
    world.router.releaseOne();

    assertThat(one).isCompletedWithValue(true);
    assertThat(two).isCompletedWithValue(true);
    assertThat(world.router.calls()).containsExactly("add a");
  }

  @Test
  void shouldAddTheRouteAgainForASubscriberDuringItsRemoval() {
    world.subscribe(first, "a", AT_LEAST_ONCE);
    world.router.hold();
    world.local.unsubscribe(first, FILTER);
    CompletableFuture<Boolean> late = world.local.subscribe(second, FILTER, QOS1);

    world.router.releaseOne();
    assertThat(late).isNotDone();
    world.router.releaseOne();

    assertThat(late).isCompletedWithValue(true);
    assertThat(world.router.calls()).containsExactly("add a", "remove a", "add a");
    assertThat(world.router.filters()).containsExactly("a");
  }

  @Test
  void shouldRemoveTheRouteAfterItsAdditionWhenTheSubscriberLeavesEarly() {
    world.router.hold();
    CompletableFuture<Boolean> leaving = world.local.subscribe(first, FILTER, QOS1);
    world.local.removeAll(first);
    world.router.releaseOne();
    world.router.releaseOne();

    assertThat(leaving).isDone();
    assertThat(world.router.filters()).isEmpty();
    assertThat(world.publisher.status().heldRoutes()).isZero();
  }

  @Test
  void shouldCompleteAllWaitersWhenAllLeaveBeforeTheRouteIsAddedAgain() {
    world.subscribe(first, "a", AT_LEAST_ONCE);
    world.router.hold();
    world.local.unsubscribe(first, FILTER);
    CompletableFuture<Boolean> late = world.local.subscribe(second, FILTER, QOS1);
    world.local.unsubscribe(second, FILTER);

    assertThat(late).isDone();
    world.router.releaseOne();
    assertThat(world.router.heldCalls()).isZero();
    assertThat(world.publisher.status().heldRoutes()).isZero();
  }

  @Test
  void shouldRevertTheSubscriptionWhenItsRouteCannotBeAdded() {
    world.router.hold();
    CompletableFuture<Boolean> failing = world.local.subscribe(first, FILTER, QOS1);
    world.router.failOne(new IllegalStateException("no majority"));

    assertThat(failing).isCompletedExceptionally();
    assertThat(world.publisher.status().filters()).isZero();
    assertThat(world.observer.routeFailures.sum()).isEqualTo(1);
    // The addition may have happened after all: the route is removed to be sure.
    world.router.releaseOne();
    assertThat(world.router.calls()).containsExactly("add a", "remove a");
    assertThat(world.publisher.status().heldRoutes()).isZero();
  }

  @Test
  void shouldKeepANewerSubscriptionWhenAnOlderOneFails() {
    world.router.hold();
    CompletableFuture<Boolean> older = world.local.subscribe(first, FILTER, QOS1);
    world.local.unsubscribe(first, FILTER);
    CompletableFuture<Boolean> newer = world.local.subscribe(first, FILTER, QOS1);
    world.router.failOne(new IllegalStateException("no majority"));

    assertThat(older).isCompletedExceptionally();
    // Both waited for the failed call, so both fail; a third one starts from scratch.
    assertThat(newer).isCompletedExceptionally();
    world.router.releaseOne();
    CompletableFuture<Boolean> third = world.local.subscribe(first, FILTER, QOS1);
    world.router.releaseOne();
    assertThat(third).isCompletedWithValue(true);
    assertThat(world.router.filters()).containsExactly("a");
  }

  @Test
  void shouldRetryAFailedRemoval() {
    world.subscribe(first, "a", AT_LEAST_ONCE);
    world.router.failWith(new IllegalStateException("no majority"));
    world.local.unsubscribe(first, FILTER);
    assertThat(world.publisher.status().unremovedRoutes()).isEqualTo(1);
    assertThat(world.router.filters()).containsExactly("a");

    world.router.failWith(null);
    world.subscribe(second, "b", AT_LEAST_ONCE);

    assertThat(world.router.filters()).containsExactly("b");
    assertThat(world.publisher.status().unremovedRoutes()).isZero();
    assertThat(world.publisher.status().heldRoutes()).isEqualTo(1);
  }

  @Test
  void shouldRemoveEverythingOfAClientABoundedNumberAtATime() {
    for (int i = 0; i < 10; i++) {
      world.subscribe(first, "t/" + i, AT_LEAST_ONCE);
    }
    world.subscribe(first, "$share/s/x", AT_LEAST_ONCE);
    world.router.hold();
    world.local.removeAll(first);

    int inFlight = DeliveryWorld.SMALL.routeRemovalsInFlight();
    assertThat(world.router.heldCalls()).isEqualTo(inFlight);
    assertThat(world.publisher.status().waitingRemovals()).isEqualTo(11 - inFlight);
    while (world.router.heldCalls() > 0) {
      world.router.releaseOne();
    }
    assertThat(world.router.filters()).isEmpty();
    assertThat(world.publisher.status().filters()).isZero();
    assertThat(world.publisher.status().waitingRemovals()).isZero();
  }

  @Test
  void shouldNotRemoveRoutesOfTheNextIncarnationWithPendingRemovals() {
    AtomicLong life = new AtomicLong(1);
    LocalSubscriptions local =
        new LocalSubscriptions(
            new LocalNode("n1", life::get),
            world.router,
            world.dispatch,
            DeliveryWorld.SMALL,
            world.observer);
    List<TopicFilter> filters =
        IntStream.range(0, 10).mapToObj(i -> TopicFilter.parse("t/" + i)).toList();
    filters.forEach(filter -> local.subscribe(first, filter, QOS1));
    world.router.hold();
    local.removeAll(first);
    local.endIncarnation();
    assertThat(local.removals().waiting()).isPositive();

    life.set(2);
    List<CompletableFuture<Boolean>> added =
        filters.stream().map(filter -> local.subscribe(second, filter, QOS1)).toList();
    while (world.router.heldCalls() > 0) {
      world.router.releaseOne();
    }

    assertThat(added).allMatch(one -> one.isDone() && !one.isCompletedExceptionally());
    assertThat(world.router.receivers())
        .hasSize(filters.size())
        .containsOnly(new Receiver.Live("n1", 2, ""));
  }

  @Test
  void shouldDeliverNothingAfterUnsubscribe() {
    world.subscribe(first, "a", AT_LEAST_ONCE);
    world.subscribe(second, "a", AT_LEAST_ONCE);
    world.publish(message("a", AT_LEAST_ONCE, "before"));
    world.local.unsubscribe(first, FILTER);
    world.publish(message("a", AT_LEAST_ONCE, "after"));

    assertThat(first.texts()).containsExactly("before");
    assertThat(second.texts()).containsExactly("before", "after");
  }

  @Test
  void shouldServeTheNewConnectionWhenTheOlderOneNeverDisconnected() {
    world.subscribe(first, "a", AT_LEAST_ONCE);
    FakeSession successor = new FakeSession("first", world.loop, false);
    world.subscribe(successor, "a", AT_LEAST_ONCE);
    world.local.removeAll(first);

    world.publish(message("a", AT_LEAST_ONCE, "m"));

    assertThat(first.texts()).isEmpty();
    assertThat(successor.texts()).containsExactly("m");
  }

  @Test
  void shouldAddALiveRouteForAConnectedPersistentShareMember() {
    FakeSession persistent = world.connectPersistent("p", world.loop);
    assertThat(world.subscribe(persistent, "$share/s/a", AT_LEAST_ONCE)).isTrue();
    assertThat(world.router.calls()).containsExactly("add $share/s/a");
    world.local.removeAll(persistent);
    assertThat(world.router.calls()).containsExactly("add $share/s/a", "remove $share/s/a");
  }

  @Test
  void shouldRouteMessagesAboveQos0OnlyToLiveReceivers() {
    FakeSession persistent = world.connectPersistent("p", world.loop);
    world.subscribe(persistent, "a", AT_LEAST_ONCE);
    world.subscribe(persistent, "b", AT_MOST_ONCE);
    world.subscribe(first, "c", AT_MOST_ONCE);
    assertThat(world.router.maxQos("a")).isEqualTo(AT_MOST_ONCE);
    assertThat(world.router.maxQos("b")).isEqualTo(EXACTLY_ONCE);
    assertThat(world.router.maxQos("c")).isEqualTo(EXACTLY_ONCE);

    world.subscribe(persistent, "a", AT_MOST_ONCE);
    assertThat(world.router.maxQos("a")).as("raised, as it is replaced").isEqualTo(EXACTLY_ONCE);
  }

  @Test
  void shouldReplaceTheRouteOfAShareWhenItsOptionsChange() {
    world.subscribe(first, "$share/s/a", AT_LEAST_ONCE);
    world.subscribe(first, "$share/s/a", AT_LEAST_ONCE);
    world.subscribe(first, "$share/s/a", AT_MOST_ONCE);
    assertThat(world.router.calls()).containsExactly("add $share/s/a", "add $share/s/a");
  }

  @Test
  void shouldRemoveAClosedSession() {
    world.subscribe(first, "a", AT_LEAST_ONCE);
    first.closed = true;
    world.publish(message("a", AT_LEAST_ONCE, "m"));
    assertThat(world.publisher.status().heldRoutes()).isZero();
    assertThat(world.publisher.status().filters()).isZero();
  }

  @Test
  void shouldTrackChangesOfOverlappingFilters() {
    world.subscribe(first, "a/+", AT_LEAST_ONCE);
    world.subscribe(second, "a/b", AT_LEAST_ONCE);
    world.publish(message("a/b", AT_LEAST_ONCE, "m1"));
    world.subscribe(first, "a/b", AT_MOST_ONCE);
    world.publish(message("a/b", AT_LEAST_ONCE, "m2"));
    world.local.unsubscribe(second, TopicFilter.parse("a/b"));
    world.publish(message("a/b", AT_LEAST_ONCE, "m3"));
    world.local.unsubscribe(first, TopicFilter.parse("a/+"));
    world.publish(message("a/b", AT_LEAST_ONCE, "m4"));

    assertThat(first.texts()).containsExactly("m1", "m2", "m3", "m4");
    assertThat(first.deliveries.get(2).qos()).isEqualTo(AT_LEAST_ONCE);
    assertThat(first.deliveries.get(3).qos()).isEqualTo(AT_MOST_ONCE);
    assertThat(second.texts()).containsExactly("m1", "m2");
  }

  @Test
  void shouldDeliverOnceWhenTheOverlapExceedsTheCache() {
    int many = DeliveryWorld.SMALL.maxCachedFanOut() + 5;
    for (int i = 0; i < many; i++) {
      FakeSession session = world.connect("s" + i, world.loop);
      world.subscribe(session, "a/+", AT_LEAST_ONCE);
      world.subscribe(session, "a/b", AT_LEAST_ONCE);
    }
    world.publish(message("a/b", AT_LEAST_ONCE, "m1"));
    world.publish(message("a/b", AT_LEAST_ONCE, "m2"));
    assertThat(world.observer.delivered.sum()).isEqualTo(2L * many);
  }
}
