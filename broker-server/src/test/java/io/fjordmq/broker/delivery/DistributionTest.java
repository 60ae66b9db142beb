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

/** Goal: a PUBLISH reaches the matching subscribers, and its publisher gets the outcome. */
class DistributionTest {
  private final DeliveryFixture fixture = new DeliveryFixture();

  @Test
  void shouldLowerTheQosToWhatEachSubscriberAccepts() {
    FakeSession zero = fixture.connect("zero", fixture.loop);
    FakeSession two = fixture.connect("two", fixture.otherLoop);
    fixture.subscribe(zero, "a/b", AT_MOST_ONCE);
    fixture.subscribe(two, "a/+", EXACTLY_ONCE);

    fixture.publishAndRun(message("a/b", AT_LEAST_ONCE, "m"));

    assertThat(zero.deliveries).singleElement().extracting(Delivery::qos).isEqualTo(AT_MOST_ONCE);
    assertThat(two.deliveries).singleElement().extracting(Delivery::qos).isEqualTo(AT_LEAST_ONCE);
    assertThat(fixture.outcomes).containsExactly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldReuseOneDeliveryForSessionsWithTheSameOptions() {
    FakeSession here = fixture.connect("here", fixture.loop);
    FakeSession there = fixture.connect("there", fixture.otherLoop);
    fixture.subscribe(here, "a", AT_LEAST_ONCE);
    fixture.subscribe(there, "a", EXACTLY_ONCE);

    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(here.deliveries.get(0)).isSameAs(there.deliveries.get(0));
  }

  @Test
  void shouldDeliverOneCopyAtTheHighestQosWithAllIdentifiersWhenSubscriptionsOverlap() {
    FakeSession client = fixture.connect("c", fixture.otherLoop);
    fixture.subscribe(client, "a/+", options(AT_LEAST_ONCE, 5));
    fixture.subscribe(client, "#", options(AT_MOST_ONCE, 9));
    fixture.subscribe(client, "a/b", options(EXACTLY_ONCE, 0));

    fixture.publishAndRun(message("a/b", EXACTLY_ONCE, "m"));

    Delivery only = client.deliveries.get(0);
    assertThat(client.deliveries).hasSize(1);
    assertThat(only.qos()).isEqualTo(EXACTLY_ONCE);
    assertThat(only.subscriptionIdentifiers()).containsExactly(9, 5);
  }

  @Test
  void shouldNotDeliverItsOwnMessagesToAClientWithNoLocal() {
    FakeSession publisher = fixture.connect(Messages.PUBLISHER, fixture.loop);
    FakeSession another = fixture.connect("another", fixture.loop);
    fixture.subscribe(publisher, "a", noLocal(AT_LEAST_ONCE, 0));
    fixture.subscribe(another, "a", noLocal(AT_LEAST_ONCE, 0));

    fixture.publishAndRun(message("a", AT_MOST_ONCE, "m"));

    assertThat(publisher.deliveries).isEmpty();
    assertThat(another.texts()).containsExactly("m");
  }

  @Test
  void shouldIgnoreNoLocalSubscriptionsOfThePublisherAmongOverlappingOnes() {
    FakeSession publisher = fixture.connect(Messages.PUBLISHER, fixture.otherLoop);
    FakeSession another = fixture.connect("another", fixture.otherLoop);
    for (FakeSession session : List.of(publisher, another)) {
      fixture.subscribe(session, "a", noLocal(EXACTLY_ONCE, 1));
      fixture.subscribe(session, "+", options(AT_LEAST_ONCE, 2));
    }

    fixture.publishAndRun(message("a", EXACTLY_ONCE, "m"));

    assertThat(publisher.deliveries).hasSize(1);
    assertThat(publisher.deliveries.get(0).qos()).isEqualTo(AT_LEAST_ONCE);
    assertThat(publisher.deliveries.get(0).subscriptionIdentifiers()).containsExactly(2);
    assertThat(another.deliveries).hasSize(1);
    assertThat(another.deliveries.get(0).qos()).isEqualTo(EXACTLY_ONCE);
    assertThat(another.deliveries.get(0).subscriptionIdentifiers()).containsExactly(2, 1);
  }

  @Test
  void shouldKeepTheRetainFlagOnlyWithRetainAsPublished() {
    FakeSession plain = fixture.connect("plain", fixture.loop);
    FakeSession keeping = fixture.connect("keeping", fixture.loop);
    fixture.subscribe(plain, "a", AT_LEAST_ONCE);
    fixture.subscribe(keeping, "a", retainAsPublished(AT_LEAST_ONCE));
    fixture.addInboxRoute("plainInbox", "a", AT_LEAST_ONCE);
    fixture.addInboxRoute("keepingInbox", "a", retainAsPublished(AT_LEAST_ONCE));

    fixture.publishAndRun(retained("a", AT_LEAST_ONCE, "m"));

    assertThat(plain.deliveries.get(0).retain()).isFalse();
    assertThat(keeping.deliveries.get(0).retain()).isTrue();
    assertThat(fixture.inboxes.inserts.get(0).targets())
        .extracting(t -> t.id().clientId(), InboxTarget::retain)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple("plainInbox", false),
            org.assertj.core.groups.Tuple.tuple("keepingInbox", true));
  }

  @Test
  void shouldDeliverToAPersistentSessionLiveOnlyAtQos0() {
    FakeSession session = fixture.connectPersistent("p", fixture.otherLoop);
    fixture.subscribe(session, "a", AT_LEAST_ONCE);
    fixture.addInboxRoute("p", "a", AT_LEAST_ONCE);

    fixture.publishAndRun(message("a", AT_MOST_ONCE, "live"));
    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "stored"));

    assertThat(session.texts()).containsExactly("live");
    assertThat(fixture.inboxes.inserts).hasSize(1);
    assertThat(Messages.text(fixture.inboxes.inserts.get(0).message())).isEqualTo("stored");
    assertThat(fixture.observer.drops()).isEmpty();
  }

  @Test
  void shouldDropAndCountQos0WhenAPersistentSessionIsOffline() {
    fixture.addInboxRoute("offline", "a", AT_LEAST_ONCE);
    fixture.addInboxRoute("lowering", "a", AT_MOST_ONCE);

    fixture.publishAndRun(message("a", AT_MOST_ONCE, "m"));

    assertThat(fixture.inboxes.inserts).isEmpty();
    assertThat(fixture.observer.onDropped(CopyDropReason.QOS0_OFFLINE)).isEqualTo(2);
    assertThat(fixture.outcomes).containsExactly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldInsertIntoAllInboxesInOneCallWithTheGivenId() {
    fixture.addInboxRoute("i1", "a/+", options(AT_LEAST_ONCE, 3));
    fixture.addInboxRoute("i1", "a/#", options(EXACTLY_ONCE, 4));
    fixture.addInboxRoute("i2", "a/b", options(AT_LEAST_ONCE, 0));
    fixture.addInboxRoute(Messages.PUBLISHER, "#", noLocal(EXACTLY_ONCE, 0));
    PublishId id = new PublishId(11, 12, 10);

    fixture.publish(message("a/b", EXACTLY_ONCE, "m"), id);

    assertThat(fixture.inboxes.inserts).hasSize(1);
    FakeInboxStore.Insert insert = fixture.inboxes.inserts.get(0);
    assertThat(insert.id()).isEqualTo(id);
    assertThat(insert.targets())
        .extracting(t -> t.id().clientId() + " " + t.qos() + " " + t.subscriptionIdentifiers())
        .containsExactlyInAnyOrder("i1 EXACTLY_ONCE [4, 3]", "i2 AT_LEAST_ONCE []");
    assertThat(insert.targets()).allMatch(t -> t.incarnation() == 1);
    assertThat(fixture.observer.stored.sum()).isEqualTo(2);
  }

  @Test
  void shouldAcknowledgeWhenEverythingIsDurableButDeliverLiveImmediately() {
    FakeSession live = fixture.connect("live", fixture.loop);
    fixture.subscribe(live, "a", AT_LEAST_ONCE);
    fixture.addInboxRoute("i", "a", AT_LEAST_ONCE);
    CompletableFuture<Void> inboxGate = new CompletableFuture<>();
    fixture.inboxes.gate = inboxGate;
    fixture.retainTasks.hold();

    fixture.publish(retained("a", AT_LEAST_ONCE, "m"));

    assertThat(live.texts()).containsExactly("m");
    inboxGate.complete(null);
    assertThat(fixture.outcomes).isEmpty();
    fixture.retainTasks.releaseOne();
    assertThat(fixture.outcomes).containsExactly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldStoreAndClearTheRetainedMessage() {
    fixture.publish(retained("a", AT_LEAST_ONCE, "m"));
    assertThat(fixture.retained.messages).containsOnlyKeys("a");
    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.NO_MATCHING_SUBSCRIBERS);

    fixture.publish(retained("a", AT_LEAST_ONCE, ""));
    assertThat(fixture.retained.messages).isEmpty();
  }

  @Test
  void shouldRemoveRoutesToAnInboxThatIsGone() {
    fixture.addInboxRoute("gone", "a", AT_LEAST_ONCE);
    fixture.addInboxRoute("gone", "+", AT_LEAST_ONCE);
    fixture.addInboxRoute("gone", "b", AT_LEAST_ONCE);
    fixture.inboxes.outcomes.put("gone", InsertOutcome.ABSENT);

    fixture.publish(message("a", AT_LEAST_ONCE, "m"));

    assertThat(fixture.router.filters()).containsExactly("b");
    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldAcknowledgeMessagesRoutedToAnEndedIncarnation() {
    addNodeRoute(new Receiver.Live("n2", 1, ""));
    fixture.publish(message("a", AT_LEAST_ONCE, "m"));
    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldHaveARetainedPublishInFlightUntilItIsStoredOrRefused() {
    RetainedBarrier barrier = fixture.delivery.retainedBarrier();
    fixture.retainTasks.hold();
    fixture.publish(message("a", AT_LEAST_ONCE, "not retained"));
    assertThat(barrier.exist()).isFalse();
    fixture.publish(retained("a", AT_LEAST_ONCE, "m"));
    assertThat(barrier.exist()).isTrue();
    fixture.retainTasks.releaseOne();
    assertThat(barrier.exist()).isFalse();
    fixture.publish(retained("a", AT_LEAST_ONCE, "m"));
    fixture.retainTasks.failOne(new IllegalStateException("lost"));
    assertThat(barrier.exist()).isFalse();
    fixture.serving = false;
    fixture.publish(retained("a", AT_LEAST_ONCE, "m"));
    fixture.serving = true;
    fixture.hasDiskSpace = false;
    fixture.publish(retained("a", AT_LEAST_ONCE, "m"));
    fixture.publish(retained("a", AT_MOST_ONCE, "m"));
    assertThat(barrier.exist()).as("nothing was passed to the store").isFalse();
  }

  @Test
  void shouldRefuseEveryPublishWithoutALease() {
    FakeSession client = fixture.connect("c", fixture.loop);
    fixture.subscribe(client, "a", AT_LEAST_ONCE);
    fixture.addInboxRoute("i", "a", AT_LEAST_ONCE);
    fixture.serving = false;
    fixture.publish(message("a", AT_LEAST_ONCE, "m"));
    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.NOT_SERVING);
    fixture.publish(message("a", AT_MOST_ONCE, "m"));
    assertThat(fixture.observer.onDropped(CopyDropReason.NOT_SERVING)).isEqualTo(1);
    assertThat(client.texts()).isEmpty();
    assertThat(fixture.inboxes.inserts).isEmpty();
    fixture.serving = true;
    fixture.publish(message("a", AT_LEAST_ONCE, "m"));
    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldIgnoreRoutesOfAnEarlierIncarnationOfThisNode() {
    FakeSession client = fixture.connect("c", fixture.loop);
    fixture.subscribe(client, "a", AT_MOST_ONCE);
    addNodeRoute(new Receiver.Live("n1", 6, ""));

    fixture.publish(message("a", AT_MOST_ONCE, "m"));

    assertThat(client.texts()).containsExactly("m");
    assertThat(fixture.observer.drops()).isEmpty();
  }

  @Test
  void shouldDeliverToOtherSessionsWhenOneFails() {
    FakeSession broken = fixture.connect("broken", fixture.loop);
    FakeSession fine = fixture.connect("fine", fixture.loop);
    fixture.subscribe(broken, "a", AT_MOST_ONCE);
    fixture.subscribe(fine, "a", AT_MOST_ONCE);
    broken.broken = true;

    fixture.publish(message("a", AT_MOST_ONCE, "m"));

    assertThat(fine.texts()).containsExactly("m");
    assertThat(fixture.observer.onDropped(CopyDropReason.FAULT)).isEqualTo(1);
  }

  @Test
  void shouldScheduleOneTaskPerEventLoopAndFlushEachSessionOncePerBatch() {
    FakeSession first = fixture.connect("first", fixture.otherLoop);
    FakeSession second = fixture.connect("second", fixture.otherLoop);
    FakeSession here = fixture.connect("here", fixture.loop);
    for (FakeSession session : List.of(first, second, here)) {
      fixture.subscribe(session, "#", AT_MOST_ONCE);
    }

    fixture.loop.run(
        () -> {
          for (int i = 0; i < 3; i++) {
            fixture.distribution.publish(
                FakeSession.TENANT,
                message("t/" + i, AT_MOST_ONCE, "m" + i),
                ConnectOrder.NONE,
                null,
                fixture.outcomes::add);
          }
          assertThat(here.texts()).as("direct on its own loop").hasSize(3);
          assertThat(here.flushes).isZero();
          assertThat(fixture.otherLoop.scheduledCount()).isZero();
          fixture.distribution.flush();
        });
    assertThat(fixture.otherLoop.scheduledCount()).isEqualTo(1);
    fixture.otherLoop.runAll();

    assertThat(here.flushes).isEqualTo(1);
    assertThat(first.texts()).containsExactly("m0", "m1", "m2");
    assertThat(first.flushes).isEqualTo(1);
    assertThat(second.flushes).isEqualTo(1);
    assertThat(fixture.observer.delivered.sum()).isEqualTo(9);
  }

  private void addNodeRoute(Receiver.Live node) {
    fixture.router.add(
        new Route(
            FakeSession.TENANT,
            TopicFilter.parse("a"),
            node,
            SubscriptionOptions.ofQos(EXACTLY_ONCE)));
  }

  @Test
  void shouldRefuseMessagesThatMustBeStoredWhileTheDiskIsFull() {
    FakeSession live = fixture.connect("live", fixture.loop);
    fixture.subscribe(live, "a", AT_LEAST_ONCE);
    fixture.addInboxRoute("i", "a", SubscriptionOptions.ofQos(AT_LEAST_ONCE));
    fixture.hasDiskSpace = false;

    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    fixture.publishAndRun(retained("b", AT_LEAST_ONCE, "m"));

    assertThat(fixture.outcomes)
        .containsExactly(PublishOutcome.LOW_DISK_SPACE, PublishOutcome.LOW_DISK_SPACE);
    assertThat(live.deliveries).isEmpty();
    assertThat(fixture.inboxes.inserts).isEmpty();
    assertThat(fixture.retained.messages).isEmpty();
  }

  @Test
  void shouldDeliverLiveAndClearRetainedMessagesWhileTheDiskIsFull() {
    FakeSession live = fixture.connect("live", fixture.loop);
    fixture.subscribe(live, "#", AT_LEAST_ONCE);
    fixture.hasDiskSpace = false;

    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    fixture.publishAndRun(retained("a", AT_LEAST_ONCE, ""));
    fixture.publishAndRun(retained("a", AT_MOST_ONCE, "not kept"));

    assertThat(fixture.outcomes)
        .containsExactly(
            PublishOutcome.ACCEPTED, PublishOutcome.ACCEPTED, PublishOutcome.LOW_DISK_SPACE);
    assertThat(live.deliveries).hasSize(3);
    assertThat(fixture.retained.messages).isEmpty();
  }
}
