package io.fjordmq.broker.delivery;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static io.fjordmq.api.Qos.AT_MOST_ONCE;
import static io.fjordmq.api.Qos.EXACTLY_ONCE;
import static io.fjordmq.broker.delivery.Messages.message;
import static io.fjordmq.broker.delivery.Messages.noLocal;
import static io.fjordmq.broker.delivery.Messages.options;
import static io.fjordmq.broker.delivery.Messages.retainAsPublished;
import static io.fjordmq.broker.delivery.Messages.retained;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.CopyDropReason;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Goal: who receives a PUBLISH, with which options, and which outcome its publisher gets. */
class DistributionTest {
  private final DeliveryWorld world = new DeliveryWorld();

  @Test
  void shouldLowerTheQosToWhatEachSubscriberAccepts() {
    FakeSession zero = world.connect("zero", world.loop);
    FakeSession two = world.connect("two", world.other);
    world.subscribe(zero, "a/b", AT_MOST_ONCE);
    world.subscribe(two, "a/+", EXACTLY_ONCE);

    world.publishAndRun(message("a/b", AT_LEAST_ONCE, "m"));

    assertThat(zero.deliveries).singleElement().extracting(Delivery::qos).isEqualTo(AT_MOST_ONCE);
    assertThat(two.deliveries).singleElement().extracting(Delivery::qos).isEqualTo(AT_LEAST_ONCE);
    assertThat(world.answers).containsExactly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldReuseOneDeliveryForSessionsWithTheSameOptions() {
    FakeSession here = world.connect("here", world.loop);
    FakeSession there = world.connect("there", world.other);
    world.subscribe(here, "a", AT_LEAST_ONCE);
    world.subscribe(there, "a", EXACTLY_ONCE);

    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(here.deliveries.get(0)).isSameAs(there.deliveries.get(0));
  }

  @Test
  void shouldDeliverOneCopyAtTheHighestQosWithAllIdentifiersWhenSubscriptionsOverlap() {
    FakeSession client = world.connect("c", world.other);
    world.subscribe(client, "a/+", options(AT_LEAST_ONCE, 5));
    world.subscribe(client, "#", options(AT_MOST_ONCE, 9));
    world.subscribe(client, "a/b", options(EXACTLY_ONCE, 0));

    world.publishAndRun(message("a/b", EXACTLY_ONCE, "m"));

    Delivery only = client.deliveries.get(0);
    assertThat(client.deliveries).hasSize(1);
    assertThat(only.qos()).isEqualTo(EXACTLY_ONCE);
    assertThat(only.subscriptionIdentifiers()).containsExactly(9, 5);
  }

  @Test
  void shouldNotDeliverItsOwnMessagesToAClientWithNoLocal() {
    FakeSession publisher = world.connect(Messages.PUBLISHER, world.loop);
    FakeSession another = world.connect("another", world.loop);
    world.subscribe(publisher, "a", noLocal(AT_LEAST_ONCE, 0));
    world.subscribe(another, "a", noLocal(AT_LEAST_ONCE, 0));

    world.publishAndRun(message("a", AT_MOST_ONCE, "m"));

    assertThat(publisher.deliveries).isEmpty();
    assertThat(another.texts()).containsExactly("m");
  }

  @Test
  void shouldIgnoreNoLocalSubscriptionsOfThePublisherAmongOverlappingOnes() {
    FakeSession publisher = world.connect(Messages.PUBLISHER, world.other);
    FakeSession another = world.connect("another", world.other);
    for (FakeSession session : List.of(publisher, another)) {
      world.subscribe(session, "a", noLocal(EXACTLY_ONCE, 1));
      world.subscribe(session, "+", options(AT_LEAST_ONCE, 2));
    }

    world.publishAndRun(message("a", EXACTLY_ONCE, "m"));

    assertThat(publisher.deliveries).hasSize(1);
    assertThat(publisher.deliveries.get(0).qos()).isEqualTo(AT_LEAST_ONCE);
    assertThat(publisher.deliveries.get(0).subscriptionIdentifiers()).containsExactly(2);
    assertThat(another.deliveries).hasSize(1);
    assertThat(another.deliveries.get(0).qos()).isEqualTo(EXACTLY_ONCE);
    assertThat(another.deliveries.get(0).subscriptionIdentifiers()).containsExactly(2, 1);
  }

  @Test
  void shouldKeepTheRetainFlagOnlyWithRetainAsPublished() {
    FakeSession plain = world.connect("plain", world.loop);
    FakeSession keeping = world.connect("keeping", world.loop);
    world.subscribe(plain, "a", AT_LEAST_ONCE);
    world.subscribe(keeping, "a", retainAsPublished(AT_LEAST_ONCE));
    world.inboxRoute("plainInbox", "a", AT_LEAST_ONCE);
    world.inboxRoute("keepingInbox", "a", retainAsPublished(AT_LEAST_ONCE));

    world.publishAndRun(retained("a", AT_LEAST_ONCE, "m"));

    assertThat(plain.deliveries.get(0).retain()).isFalse();
    assertThat(keeping.deliveries.get(0).retain()).isTrue();
    assertThat(world.inboxes.inserts.get(0).targets())
        .extracting(t -> t.id().clientId(), InboxTarget::retain)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple("plainInbox", false),
            org.assertj.core.groups.Tuple.tuple("keepingInbox", true));
  }

  @Test
  void shouldDeliverToAPersistentSessionLiveOnlyAtQos0() {
    FakeSession session = world.connectPersistent("p", world.other);
    world.subscribe(session, "a", AT_LEAST_ONCE);
    world.inboxRoute("p", "a", AT_LEAST_ONCE);

    world.publishAndRun(message("a", AT_MOST_ONCE, "live"));
    world.publishAndRun(message("a", AT_LEAST_ONCE, "stored"));

    assertThat(session.texts()).containsExactly("live");
    assertThat(world.inboxes.inserts).hasSize(1);
    assertThat(Messages.text(world.inboxes.inserts.get(0).message())).isEqualTo("stored");
    assertThat(world.observer.drops()).isEmpty();
  }

  @Test
  void shouldDropAndCountQos0WhenAPersistentSessionIsOffline() {
    world.inboxRoute("offline", "a", AT_LEAST_ONCE);
    world.inboxRoute("lowering", "a", AT_MOST_ONCE);

    world.publishAndRun(message("a", AT_MOST_ONCE, "m"));

    assertThat(world.inboxes.inserts).isEmpty();
    assertThat(world.observer.onDropped(CopyDropReason.QOS0_OFFLINE)).isEqualTo(2);
    assertThat(world.answers).containsExactly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldInsertIntoAllInboxesInOneCallWithTheGivenId() {
    world.inboxRoute("i1", "a/+", options(AT_LEAST_ONCE, 3));
    world.inboxRoute("i1", "a/#", options(EXACTLY_ONCE, 4));
    world.inboxRoute("i2", "a/b", options(AT_LEAST_ONCE, 0));
    world.inboxRoute(Messages.PUBLISHER, "#", noLocal(EXACTLY_ONCE, 0));
    PublishId id = new PublishId(11, 12, 10);

    world.publish(message("a/b", EXACTLY_ONCE, "m"), id);

    assertThat(world.inboxes.inserts).hasSize(1);
    FakeInboxStore.Insert insert = world.inboxes.inserts.get(0);
    assertThat(insert.id()).isEqualTo(id);
    assertThat(insert.targets())
        .extracting(t -> t.id().clientId() + " " + t.qos() + " " + t.subscriptionIdentifiers())
        .containsExactlyInAnyOrder("i1 EXACTLY_ONCE [4, 3]", "i2 AT_LEAST_ONCE []");
    assertThat(insert.targets()).allMatch(t -> t.incarnation() == 1);
    assertThat(world.observer.stored.sum()).isEqualTo(2);
  }

  @Test
  void shouldAcknowledgeWhenEverythingIsDurableButDeliverLiveImmediately() {
    FakeSession live = world.connect("live", world.loop);
    world.subscribe(live, "a", AT_LEAST_ONCE);
    world.inboxRoute("i", "a", AT_LEAST_ONCE);
    CompletableFuture<Void> inboxGate = new CompletableFuture<>();
    world.inboxes.gate = inboxGate;
    world.retaining.hold();

    world.publish(retained("a", AT_LEAST_ONCE, "m"));

    assertThat(live.texts()).containsExactly("m");
    inboxGate.complete(null);
    assertThat(world.answers).isEmpty();
    world.retaining.releaseOne();
    assertThat(world.answers).containsExactly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldStoreAndClearTheRetainedMessage() {
    world.publish(retained("a", AT_LEAST_ONCE, "m"));
    assertThat(world.retained.messages).containsOnlyKeys("a");
    assertThat(world.lastAnswer()).isEqualTo(PublishOutcome.NO_MATCHING_SUBSCRIBERS);

    world.publish(retained("a", AT_LEAST_ONCE, ""));
    assertThat(world.retained.messages).isEmpty();
  }

  @Test
  void shouldRemoveRoutesToAnInboxThatIsGone() {
    world.inboxRoute("gone", "a", AT_LEAST_ONCE);
    world.inboxRoute("gone", "+", AT_LEAST_ONCE);
    world.inboxRoute("gone", "b", AT_LEAST_ONCE);
    world.inboxes.outcomes.put("gone", InsertOutcome.ABSENT);

    world.publish(message("a", AT_LEAST_ONCE, "m"));

    assertThat(world.router.filters()).containsExactly("b");
    assertThat(world.lastAnswer()).isEqualTo(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldAcknowledgeMessagesRoutedToAnEndedIncarnation() {
    addNodeRoute(new Receiver.Live("n2", 1, ""));
    world.publish(message("a", AT_LEAST_ONCE, "m"));
    assertThat(world.lastAnswer()).isEqualTo(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldRefuseEveryPublishWithoutALease() {
    FakeSession client = world.connect("c", world.loop);
    world.subscribe(client, "a", AT_LEAST_ONCE);
    world.inboxRoute("i", "a", AT_LEAST_ONCE);
    world.serving = false;
    world.publish(message("a", AT_LEAST_ONCE, "m"));
    assertThat(world.lastAnswer()).isEqualTo(PublishOutcome.NOT_SERVING);
    world.publish(message("a", AT_MOST_ONCE, "m"));
    assertThat(world.observer.onDropped(CopyDropReason.NOT_SERVING)).isEqualTo(1);
    assertThat(client.texts()).isEmpty();
    assertThat(world.inboxes.inserts).isEmpty();
    world.serving = true;
    world.publish(message("a", AT_LEAST_ONCE, "m"));
    assertThat(world.lastAnswer()).isEqualTo(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldIgnoreRoutesOfAnEarlierIncarnationOfThisNode() {
    FakeSession client = world.connect("c", world.loop);
    world.subscribe(client, "a", AT_MOST_ONCE);
    addNodeRoute(new Receiver.Live("n1", 6, ""));

    world.publish(message("a", AT_MOST_ONCE, "m"));

    assertThat(client.texts()).containsExactly("m");
    assertThat(world.observer.drops()).isEmpty();
  }

  @Test
  void shouldDeliverToOtherSessionsWhenOneFails() {
    FakeSession broken = world.connect("broken", world.loop);
    FakeSession fine = world.connect("fine", world.loop);
    world.subscribe(broken, "a", AT_MOST_ONCE);
    world.subscribe(fine, "a", AT_MOST_ONCE);
    broken.broken = true;

    world.publish(message("a", AT_MOST_ONCE, "m"));

    assertThat(fine.texts()).containsExactly("m");
    assertThat(world.observer.onDropped(CopyDropReason.FAULT)).isEqualTo(1);
  }

  @Test
  void shouldScheduleOneTaskPerEventLoopAndFlushEachSessionOncePerBatch() {
    FakeSession first = world.connect("first", world.other);
    FakeSession second = world.connect("second", world.other);
    FakeSession here = world.connect("here", world.loop);
    for (FakeSession session : List.of(first, second, here)) {
      world.subscribe(session, "#", AT_MOST_ONCE);
    }

    world.loop.run(
        () -> {
          for (int i = 0; i < 3; i++) {
            world.publisher.publish(
                FakeSession.TENANT,
                message("t/" + i, AT_MOST_ONCE, "m" + i),
                ConnectOrder.NONE,
                null,
                world.answers::add);
          }
          assertThat(here.texts()).as("direct on its own loop").hasSize(3);
          assertThat(here.flushes).isZero();
          assertThat(world.other.scheduled()).isZero();
          world.publisher.flush();
        });
    assertThat(world.other.scheduled()).isEqualTo(1);
    world.other.runAll();

    assertThat(here.flushes).isEqualTo(1);
    assertThat(first.texts()).containsExactly("m0", "m1", "m2");
    assertThat(first.flushes).isEqualTo(1);
    assertThat(second.flushes).isEqualTo(1);
    assertThat(world.observer.delivered.sum()).isEqualTo(9);
  }

  private void addNodeRoute(Receiver.Live node) {
    world.router.add(
        new Route(
            FakeSession.TENANT,
            TopicFilter.parse("a"),
            node,
            SubscriptionOptions.ofQos(EXACTLY_ONCE)));
  }

  @Test
  void shouldRefuseMessagesThatMustBeStoredWhileTheDiskIsFull() {
    FakeSession live = world.connect("live", world.loop);
    world.subscribe(live, "a", AT_LEAST_ONCE);
    world.inboxRoute("i", "a", SubscriptionOptions.ofQos(AT_LEAST_ONCE));
    world.room = false;

    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    world.publishAndRun(retained("b", AT_LEAST_ONCE, "m"));

    assertThat(world.answers)
        .containsExactly(PublishOutcome.LOW_DISK_SPACE, PublishOutcome.LOW_DISK_SPACE);
    assertThat(live.deliveries).isEmpty();
    assertThat(world.inboxes.inserts).isEmpty();
    assertThat(world.retained.messages).isEmpty();
  }

  @Test
  void shouldDeliverLiveAndClearRetainedMessagesWhileTheDiskIsFull() {
    FakeSession live = world.connect("live", world.loop);
    world.subscribe(live, "#", AT_LEAST_ONCE);
    world.room = false;

    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    world.publishAndRun(retained("a", AT_LEAST_ONCE, ""));
    world.publishAndRun(retained("a", AT_MOST_ONCE, "not kept"));

    assertThat(world.answers)
        .containsExactly(
            PublishOutcome.ACCEPTED, PublishOutcome.ACCEPTED, PublishOutcome.LOW_DISK_SPACE);
    assertThat(live.deliveries).hasSize(3);
    assertThat(world.retained.messages).isEmpty();
  }
}
