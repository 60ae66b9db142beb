package io.fjordmq.broker.delivery;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxSpan;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.range.KeyInterval;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: events that replicas report before delivery opens are kept, with bounded memory. */
class InboxEventRelayTest {
  private static final InboxId ID = new InboxId(FakeSession.TENANT, "p");
  private static final InboxSubscription SUBSCRIPTION =
      new InboxSubscription(TopicFilter.parse("a/b"), SubscriptionOptions.ofQos(AT_LEAST_ONCE));

  private final DeliveryWorld world = new DeliveryWorld();
  private final InboxEventRelay relay = new InboxEventRelay(world.observer);

  @Test
  void shouldRemoveRoutesOfSessionsThatEndedBeforeDeliveryOpened() {
    world.inboxRoute("p", "a/b", AT_LEAST_ONCE);
    relay.onSessionEnded(ID, 1, List.of(SUBSCRIPTION));
    assertThat(world.router.filters()).containsExactly("a/b");

    relay.forwardTo(world.delivery.inboxEvents());

    assertThat(world.router.filters()).isEmpty();
    assertThat(world.observer.routeFailures.sum()).isZero();
  }

  @Test
  void shouldForwardEventsOnceDeliveryIsOpen() {
    relay.forwardTo(world.delivery.inboxEvents());
    world.inboxRoute("p", "a/b", AT_LEAST_ONCE);
    FakeSession session = world.connectPersistent("p", world.loop);

    relay.onSessionEnded(ID, 1, List.of(SUBSCRIPTION));
    relay.onFenced(DeliveryWorld.SELF.id(), new InboxHandle(ID, 1, 1));
    relay.onLeaderStart(new InboxSpan(KeyInterval.ALL));
    world.loop.runAll();

    assertThat(world.router.filters()).isEmpty();
    assertThat(session.fenced).hasSize(1);
    assertThat(session.refetches).isEqualTo(1);
  }

  @Test
  void shouldIgnoreClientEventsBeforeDeliveryIsOpen() {
    relay.onFenced(DeliveryWorld.SELF.id(), new InboxHandle(ID, 1, 1));
    relay.onAppended(DeliveryWorld.SELF.id(), new InboxHandle(ID, 1, 1), List.of());
    relay.onLeaderStart(new InboxSpan(KeyInterval.ALL));
    relay.onUndeliveredShareMessages(ID, 1);
    FakeSession session = world.connectPersistent("p", world.loop);

    relay.forwardTo(world.delivery.inboxEvents());
    world.loop.runAll();

    assertThat(session.fenced).isEmpty();
    assertThat(session.refetches).isZero();
  }

  @Test
  void shouldCountRoutesOfSessionsBeyondTheLimit() {
    world.inboxRoute("p", "a/b", AT_LEAST_ONCE);
    List<InboxSubscription> many =
        Collections.nCopies(InboxEventRelay.MAX_HELD_ROUTES, SUBSCRIPTION);
    relay.onSessionEnded(ID, 1, many);
    relay.onSessionEnded(ID, 2, List.of(SUBSCRIPTION, SUBSCRIPTION));
    assertThat(world.observer.routeFailures.sum()).isEqualTo(2);
  }
}
