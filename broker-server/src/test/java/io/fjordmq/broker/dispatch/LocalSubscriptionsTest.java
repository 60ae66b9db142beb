package io.fjordmq.broker.dispatch;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static io.fjordmq.api.Qos.AT_MOST_ONCE;
import static io.fjordmq.api.Qos.EXACTLY_ONCE;
import static io.fjordmq.broker.delivery.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.delivery.DeliveryFixture;
import io.fjordmq.broker.delivery.FakeSession;
import io.fjordmq.broker.dispatch.LocalSubscriptions.FilterSubscriber;
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

  private final DeliveryFixture fixture = new DeliveryFixture();
  private final FakeSession first = fixture.connect("first", fixture.loop);
  private final FakeSession second = fixture.connect("second", fixture.loop);

  @Test
  void shouldAddOneRouteForManySubscribersAndRemoveItWithTheLast() {
    assertThat(fixture.subscribe(first, "a", AT_LEAST_ONCE)).isTrue();
    assertThat(fixture.subscribe(second, "a", AT_MOST_ONCE)).isTrue();
    assertThat(fixture.subscribe(second, "a", AT_LEAST_ONCE)).as("replaces").isFalse();
    assertThat(fixture.router.calls()).containsExactly("add a");

    assertThat(fixture.local.unsubscribe(first, FILTER).join()).isTrue();
    assertThat(fixture.local.unsubscribe(first, FILTER).join()).isFalse();
    assertThat(fixture.router.calls()).containsExactly("add a");
    assertThat(fixture.local.unsubscribe(second, FILTER).join()).isTrue();

    assertThat(fixture.router.calls()).containsExactly("add a", "remove a");
    assertThat(fixture.distribution.status().filters()).isZero();
    assertThat(fixture.distribution.status().heldRoutes()).isZero();
  }

  @Test
  void shouldFindTheSubscribersOfExactlyOneFilter() {
    fixture.subscribe(first, "a", AT_LEAST_ONCE);
    fixture.subscribe(second, "a", AT_MOST_ONCE);
    fixture.subscribe(second, "+", AT_LEAST_ONCE);
    for (String tenant : new String[] {first.tenant(), null}) {
      assertThat(fixture.local.subscribersOf(tenant, "a"))
          .containsExactlyInAnyOrder(
              new FilterSubscriber(first, QOS1),
              new FilterSubscriber(second, SubscriptionOptions.ofQos(AT_MOST_ONCE)));
      assertThat(fixture.local.subscribersOf(tenant, "+"))
          .containsExactly(new FilterSubscriber(second, QOS1));
      assertThat(fixture.local.subscribersOf(tenant, "a/b")).isEmpty();
    }
    assertThat(fixture.local.subscribersOf("other", "a")).isEmpty();
    fixture.local.unsubscribe(first, FILTER);
    assertThat(fixture.local.subscribersOf(null, "a")).hasSize(1);
  }

  @Test
  void shouldMakeEverySubscriberWaitForTheRoute() {
    fixture.router.hold();
    CompletableFuture<Boolean> one = fixture.local.subscribe(first, FILTER, QOS1);
    CompletableFuture<Boolean> two = fixture.local.subscribe(second, FILTER, QOS1);

    assertThat(one).isNotDone();
    assertThat(two).isNotDone();
    fixture.router.releaseOne();

    assertThat(one).isCompletedWithValue(true);
    assertThat(two).isCompletedWithValue(true);
    assertThat(fixture.router.calls()).containsExactly("add a");
  }

  @Test
  void shouldAddTheRouteAgainForASubscriberDuringItsRemoval() {
    fixture.subscribe(first, "a", AT_LEAST_ONCE);
    fixture.router.hold();
    fixture.local.unsubscribe(first, FILTER);
    CompletableFuture<Boolean> late = fixture.local.subscribe(second, FILTER, QOS1);

    fixture.router.releaseOne();
    assertThat(late).isNotDone();
    fixture.router.releaseOne();

    assertThat(late).isCompletedWithValue(true);
    assertThat(fixture.router.calls()).containsExactly("add a", "remove a", "add a");
    assertThat(fixture.router.filters()).containsExactly("a");
  }

  @Test
  void shouldRemoveTheRouteAfterItsAdditionWhenTheSubscriberLeavesEarly() {
    fixture.router.hold();
    CompletableFuture<Boolean> leaving = fixture.local.subscribe(first, FILTER, QOS1);
    fixture.local.removeAll(first);
    fixture.router.releaseOne();
    fixture.router.releaseOne();

    assertThat(leaving).isDone();
    assertThat(fixture.router.filters()).isEmpty();
    assertThat(fixture.distribution.status().heldRoutes()).isZero();
  }

  @Test
  void shouldCompleteAllWaitersWhenAllLeaveBeforeTheRouteIsAddedAgain() {
    fixture.subscribe(first, "a", AT_LEAST_ONCE);
    fixture.router.hold();
    fixture.local.unsubscribe(first, FILTER);
    CompletableFuture<Boolean> late = fixture.local.subscribe(second, FILTER, QOS1);
    fixture.local.unsubscribe(second, FILTER);

    assertThat(late).isDone();
    fixture.router.releaseOne();
    assertThat(fixture.router.heldCalls()).isZero();
    assertThat(fixture.distribution.status().heldRoutes()).isZero();
  }

  @Test
  void shouldRevertTheSubscriptionWhenItsRouteCannotBeAdded() {
    fixture.router.hold();
    CompletableFuture<Boolean> failing = fixture.local.subscribe(first, FILTER, QOS1);
    fixture.router.failOne(new IllegalStateException("no majority"));

    assertThat(failing).isCompletedExceptionally();
    assertThat(fixture.distribution.status().filters()).isZero();
    assertThat(fixture.observer.routeFailures.sum()).isEqualTo(1);
    // The addition may have happened after all: the route is removed to be sure.
    fixture.router.releaseOne();
    assertThat(fixture.router.calls()).containsExactly("add a", "remove a");
    assertThat(fixture.distribution.status().heldRoutes()).isZero();
  }

  @Test
  void shouldKeepANewerSubscriptionWhenAnOlderOneFails() {
    fixture.router.hold();
    CompletableFuture<Boolean> older = fixture.local.subscribe(first, FILTER, QOS1);
    fixture.local.unsubscribe(first, FILTER);
    CompletableFuture<Boolean> newer = fixture.local.subscribe(first, FILTER, QOS1);
    fixture.router.failOne(new IllegalStateException("no majority"));

    assertThat(older).isCompletedExceptionally();
    // Both waited for the failed call, so both fail; a third one starts from scratch.
    assertThat(newer).isCompletedExceptionally();
    fixture.router.releaseOne();
    CompletableFuture<Boolean> third = fixture.local.subscribe(first, FILTER, QOS1);
    fixture.router.releaseOne();
    assertThat(third).isCompletedWithValue(true);
    assertThat(fixture.router.filters()).containsExactly("a");
  }

  @Test
  void shouldRetryAFailedRemoval() {
    fixture.subscribe(first, "a", AT_LEAST_ONCE);
    fixture.router.failWith(new IllegalStateException("no majority"));
    fixture.local.unsubscribe(first, FILTER);
    assertThat(fixture.distribution.status().failedRouteRemovals()).isEqualTo(1);
    assertThat(fixture.router.filters()).containsExactly("a");

    fixture.router.failWith(null);
    fixture.subscribe(second, "b", AT_LEAST_ONCE);

    assertThat(fixture.router.filters()).containsExactly("b");
    assertThat(fixture.distribution.status().failedRouteRemovals()).isZero();
    assertThat(fixture.distribution.status().heldRoutes()).isEqualTo(1);
  }

  @Test
  void shouldRemoveEverythingOfAClientABoundedNumberAtATime() {
    for (int i = 0; i < 10; i++) {
      fixture.subscribe(first, "t/" + i, AT_LEAST_ONCE);
    }
    fixture.subscribe(first, "$share/s/x", AT_LEAST_ONCE);
    fixture.router.hold();
    fixture.local.removeAll(first);

    int inFlight = DeliveryFixture.SMALL.routeRemovalsInFlight();
    assertThat(fixture.router.heldCalls()).isEqualTo(inFlight);
    assertThat(fixture.distribution.status().waitingRemovals()).isEqualTo(11 - inFlight);
    while (fixture.router.heldCalls() > 0) {
      fixture.router.releaseOne();
    }
    assertThat(fixture.router.filters()).isEmpty();
    assertThat(fixture.distribution.status().filters()).isZero();
    assertThat(fixture.distribution.status().waitingRemovals()).isZero();
  }

  @Test
  void shouldNotRemoveRoutesOfTheNextIncarnationWithPendingRemovals() {
    AtomicLong incarnation = new AtomicLong(1);
    LocalSubscriptions local =
        new LocalSubscriptions(
            new LocalNode("n1", incarnation::get),
            fixture.router,
            fixture.dispatch,
            DeliveryFixture.SMALL,
            fixture.observer);
    List<TopicFilter> filters =
        IntStream.range(0, 10).mapToObj(i -> TopicFilter.parse("t/" + i)).toList();
    filters.forEach(filter -> local.subscribe(first, filter, QOS1));
    fixture.router.hold();
    local.removeAll(first);
    local.endIncarnation();
    assertThat(local.removals().queuedCount()).isPositive();

    incarnation.set(2);
    List<CompletableFuture<Boolean>> added =
        filters.stream().map(filter -> local.subscribe(second, filter, QOS1)).toList();
    while (fixture.router.heldCalls() > 0) {
      fixture.router.releaseOne();
    }

    assertThat(added).allMatch(one -> one.isDone() && !one.isCompletedExceptionally());
    assertThat(fixture.router.receivers())
        .hasSize(filters.size())
        .containsOnly(new Receiver.Live("n1", 2, ""));
  }

  @Test
  void shouldDeliverNothingAfterUnsubscribe() {
    fixture.subscribe(first, "a", AT_LEAST_ONCE);
    fixture.subscribe(second, "a", AT_LEAST_ONCE);
    fixture.publish(message("a", AT_LEAST_ONCE, "before"));
    fixture.local.unsubscribe(first, FILTER);
    fixture.publish(message("a", AT_LEAST_ONCE, "after"));

    assertThat(first.texts()).containsExactly("before");
    assertThat(second.texts()).containsExactly("before", "after");
  }

  @Test
  void shouldServeTheNewConnectionWhenTheOlderOneNeverDisconnected() {
    fixture.subscribe(first, "a", AT_LEAST_ONCE);
    FakeSession successor = new FakeSession("first", fixture.loop, false);
    fixture.subscribe(successor, "a", AT_LEAST_ONCE);
    fixture.local.removeAll(first);

    fixture.publish(message("a", AT_LEAST_ONCE, "m"));

    assertThat(first.texts()).isEmpty();
    assertThat(successor.texts()).containsExactly("m");
  }

  @Test
  void shouldAddALiveRouteForAConnectedPersistentShareMember() {
    FakeSession persistent = fixture.connectPersistent("p", fixture.loop);
    assertThat(fixture.subscribe(persistent, "$share/s/a", AT_LEAST_ONCE)).isTrue();
    assertThat(fixture.router.calls()).containsExactly("add $share/s/a");
    fixture.local.removeAll(persistent);
    assertThat(fixture.router.calls()).containsExactly("add $share/s/a", "remove $share/s/a");
  }

  @Test
  void shouldRouteMessagesAboveQos0OnlyToLiveReceivers() {
    FakeSession persistent = fixture.connectPersistent("p", fixture.loop);
    fixture.subscribe(persistent, "a", AT_LEAST_ONCE);
    fixture.subscribe(persistent, "b", AT_MOST_ONCE);
    fixture.subscribe(first, "c", AT_MOST_ONCE);
    assertThat(fixture.router.maxQos("a")).isEqualTo(AT_MOST_ONCE);
    assertThat(fixture.router.maxQos("b")).isEqualTo(EXACTLY_ONCE);
    assertThat(fixture.router.maxQos("c")).isEqualTo(EXACTLY_ONCE);

    fixture.subscribe(persistent, "a", AT_MOST_ONCE);
    assertThat(fixture.router.maxQos("a")).as("raised, as it is replaced").isEqualTo(EXACTLY_ONCE);
  }

  @Test
  void shouldReplaceTheRouteOfAShareWhenItsOptionsChange() {
    fixture.subscribe(first, "$share/s/a", AT_LEAST_ONCE);
    fixture.subscribe(first, "$share/s/a", AT_LEAST_ONCE);
    fixture.subscribe(first, "$share/s/a", AT_MOST_ONCE);
    assertThat(fixture.router.calls()).containsExactly("add $share/s/a", "add $share/s/a");
  }

  @Test
  void shouldRemoveAClosedSession() {
    fixture.subscribe(first, "a", AT_LEAST_ONCE);
    first.closed = true;
    fixture.publish(message("a", AT_LEAST_ONCE, "m"));
    assertThat(fixture.distribution.status().heldRoutes()).isZero();
    assertThat(fixture.distribution.status().filters()).isZero();
  }

  @Test
  void shouldTrackChangesOfOverlappingFilters() {
    fixture.subscribe(first, "a/+", AT_LEAST_ONCE);
    fixture.subscribe(second, "a/b", AT_LEAST_ONCE);
    fixture.publish(message("a/b", AT_LEAST_ONCE, "m1"));
    fixture.subscribe(first, "a/b", AT_MOST_ONCE);
    fixture.publish(message("a/b", AT_LEAST_ONCE, "m2"));
    fixture.local.unsubscribe(second, TopicFilter.parse("a/b"));
    fixture.publish(message("a/b", AT_LEAST_ONCE, "m3"));
    fixture.local.unsubscribe(first, TopicFilter.parse("a/+"));
    fixture.publish(message("a/b", AT_LEAST_ONCE, "m4"));

    assertThat(first.texts()).containsExactly("m1", "m2", "m3", "m4");
    assertThat(first.deliveries.get(2).qos()).isEqualTo(AT_LEAST_ONCE);
    assertThat(first.deliveries.get(3).qos()).isEqualTo(AT_MOST_ONCE);
    assertThat(second.texts()).containsExactly("m1", "m2");
  }

  @Test
  void shouldDeliverOnceWhenTheOverlapExceedsTheCache() {
    int many = DeliveryFixture.SMALL.maxCachedFanOut() + 5;
    for (int i = 0; i < many; i++) {
      FakeSession session = fixture.connect("s" + i, fixture.loop);
      fixture.subscribe(session, "a/+", AT_LEAST_ONCE);
      fixture.subscribe(session, "a/b", AT_LEAST_ONCE);
    }
    fixture.publish(message("a/b", AT_LEAST_ONCE, "m1"));
    fixture.publish(message("a/b", AT_LEAST_ONCE, "m2"));
    assertThat(fixture.observer.delivered.sum()).isEqualTo(2L * many);
  }
}
