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

  private final DeliveryFixture fixture = new DeliveryFixture();
  private final InboxEventRelay relay = new InboxEventRelay(fixture.observer);

  @Test
  void shouldRemoveRoutesOfSessionsThatEndedBeforeDeliveryOpened() {
    fixture.addInboxRoute("p", "a/b", AT_LEAST_ONCE);
    relay.onSessionEnded(ID, 1, List.of(SUBSCRIPTION));
    assertThat(fixture.router.filters()).containsExactly("a/b");

    relay.forwardTo(fixture.delivery.inboxEvents());

    assertThat(fixture.router.filters()).isEmpty();
    assertThat(fixture.observer.routeFailures.sum()).isZero();
  }

  @Test
  void shouldForwardEventsOnceDeliveryIsOpen() {
    relay.forwardTo(fixture.delivery.inboxEvents());
    fixture.addInboxRoute("p", "a/b", AT_LEAST_ONCE);
    FakeSession session = fixture.connectPersistent("p", fixture.loop);

    relay.onSessionEnded(ID, 1, List.of(SUBSCRIPTION));
    relay.onFenced(DeliveryFixture.SELF.id(), new InboxHandle(ID, 1, 1));
    relay.onLeaderStart(new InboxSpan(KeyInterval.ALL));
    fixture.loop.runAll();

    assertThat(fixture.router.filters()).isEmpty();
    assertThat(session.fenced).hasSize(1);
    assertThat(session.refetches).isEqualTo(1);
  }

  @Test
  void shouldIgnoreClientEventsBeforeDeliveryIsOpen() {
    relay.onFenced(DeliveryFixture.SELF.id(), new InboxHandle(ID, 1, 1));
    relay.onAppended(DeliveryFixture.SELF.id(), new InboxHandle(ID, 1, 1), List.of());
    relay.onLeaderStart(new InboxSpan(KeyInterval.ALL));
    relay.onUndeliveredShareMessages(ID, 1);
    FakeSession session = fixture.connectPersistent("p", fixture.loop);

    relay.forwardTo(fixture.delivery.inboxEvents());
    fixture.loop.runAll();

    assertThat(session.fenced).isEmpty();
    assertThat(session.refetches).isZero();
  }

  @Test
  void shouldCountRoutesOfSessionsBeyondTheLimit() {
    fixture.addInboxRoute("p", "a/b", AT_LEAST_ONCE);
    List<InboxSubscription> many =
        Collections.nCopies(InboxEventRelay.MAX_HELD_ROUTES, SUBSCRIPTION);
    relay.onSessionEnded(ID, 1, many);
    relay.onSessionEnded(ID, 2, List.of(SUBSCRIPTION, SUBSCRIPTION));
    assertThat(fixture.observer.routeFailures.sum()).isEqualTo(2);
  }
}
