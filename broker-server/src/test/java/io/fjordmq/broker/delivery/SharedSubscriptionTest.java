package io.fjordmq.broker.delivery;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static io.fjordmq.api.Qos.AT_MOST_ONCE;
import static io.fjordmq.api.Qos.EXACTLY_ONCE;
import static io.fjordmq.broker.delivery.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.CopyDropReason;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.ShareKey;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Goal: one member of a share receives each message, and a failing member loses none. */
class SharedSubscriptionTest {
  private static final String SHARED = "$share/s/a";

  private final DeliveryFixture fixture = new DeliveryFixture();

  @Test
  void shouldRotateAmongConnectedMembers() {
    FakeSession one = subscribeMember("one", fixture.loop);
    FakeSession two = subscribeMember("two", fixture.otherLoop);
    for (int i = 0; i < 4; i++) {
      fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }
    assertThat(one.deliveries).hasSize(2);
    assertThat(two.deliveries).hasSize(2);
    assertThat(one.deliveries).allMatch(Delivery::isShared);
    assertThat(fixture.outcomes).containsOnly(PublishOutcome.ACCEPTED);
  }

  /** A member that follows an unavailable one gets its own turn, not two. */
  @Test
  void shouldRotateAmongTheRemainingMembersWhenSomeAreGone() {
    FakeSession one = subscribeMember("one", fixture.loop);
    fixture.addInboxRoute("away", SHARED, AT_LEAST_ONCE);
    FakeSession gone = subscribeMember("gone", fixture.loop);
    FakeSession two = subscribeMember("two", fixture.loop);
    FakeSession three = subscribeMember("three", fixture.otherLoop);
    fixture.local.removeAll(gone); // its route is still there

    for (int i = 0; i < 6; i++) {
      fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(one.deliveries).hasSize(2);
    assertThat(two.deliveries).hasSize(2);
    assertThat(three.deliveries).hasSize(2);
    assertThat(fixture.inboxes.inserts).isEmpty();
  }

  @Test
  void shouldRotateAmongInboxesWhenAllMembersAreOffline() {
    fixture.addInboxRoute("one", SHARED, AT_LEAST_ONCE);
    fixture.addInboxRoute("two", SHARED, AT_LEAST_ONCE);

    for (int i = 0; i < 4; i++) {
      fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(fixture.inboxes.inserts)
        .extracting(insert -> insert.targets().get(0).id().clientId())
        .containsExactly("one", "two", "one", "two");
  }

  @Test
  void shouldDeliverToEveryShareAndToOrdinarySubscribers() {
    FakeSession both = fixture.connect("both", fixture.loop);
    fixture.subscribe(both, "$share/x/a", AT_LEAST_ONCE);
    fixture.subscribe(both, "$share/y/+", AT_MOST_ONCE);
    fixture.subscribe(both, "a", AT_LEAST_ONCE);

    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(both.deliveries).hasSize(3);
    assertThat(both.deliveries.stream().filter(Delivery::isShared)).hasSize(2);
  }

  @Test
  void shouldTryTheNextMemberWhenAMemberOnAnotherLoopRefuses() {
    FakeSession refusing = subscribeMember("one", fixture.otherLoop);
    FakeSession accepting = subscribeMember("two", fixture.loop);
    refusing.closed = true;

    for (int i = 0; i < 3; i++) {
      fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(accepting.texts()).containsExactlyInAnyOrder("m0", "m1", "m2");
    assertThat(accepting.flushes).isPositive();
    assertThat(fixture.observer.drops()).isEmpty();
  }

  @Test
  void shouldStoreTheMessageInAnOfflineInboxWhenTheLastConnectedMemberRefuses() {
    FakeSession refusing = subscribeMember("one", fixture.otherLoop);
    refusing.closed = true;
    fixture.addInboxRoute("offline", SHARED, AT_LEAST_ONCE);

    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(fixture.inboxes.inserts).hasSize(1);
    assertThat(fixture.observer.drops()).isEmpty();
  }

  /** A member that may not read one message has not left; it keeps its other messages. */
  @Test
  void shouldKeepTheSubscriptionsOfAMemberThatMayNotReadTheMessage() {
    FakeSession forbidden = subscribeMember("one", fixture.otherLoop);
    fixture.subscribe(forbidden, "+", AT_MOST_ONCE);
    FakeSession permitted = subscribeMember("two", fixture.loop);
    forbidden.mayNotRead = true;

    for (int i = 0; i < 3; i++) {
      fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }
    fixture.local.removeAll(permitted);
    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "for nobody"));

    assertThat(permitted.texts()).containsExactlyInAnyOrder("m0", "m1", "m2");
    assertThat(forbidden.texts()).containsExactly("m0", "m1", "m2", "for nobody");
    assertThat(fixture.observer.onDropped(CopyDropReason.NO_SHARE_MEMBER)).isEqualTo(1);
    assertThat(fixture.outcomes).containsOnly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldCountMessagesThatNoMemberAccepts() {
    FakeSession refusing = subscribeMember("one", fixture.otherLoop);
    refusing.closed = true;

    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(fixture.observer.onDropped(CopyDropReason.NO_SHARE_MEMBER)).isEqualTo(1);
  }

  @Test
  void shouldPreferConnectedMembersToOfflineInboxes() {
    fixture.addInboxRoute("attached", SHARED, AT_LEAST_ONCE);
    fixture.addInboxRoute("offline", SHARED, AT_LEAST_ONCE);
    fixture.connectPersistent("attached", fixture.loop);
    FakeSession live = subscribeMember("live", fixture.loop);

    for (int i = 0; i < 4; i++) {
      fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(live.deliveries).hasSize(2);
    assertThat(fixture.inboxes.inserts)
        .hasSize(2)
        .allMatch(insert -> insert.targets().get(0).id().clientId().equals("attached"));
  }

  @Test
  void shouldStoreInAnOfflineInboxWhenNobodyIsConnected() {
    fixture.addInboxRoute("offline", SHARED, AT_LEAST_ONCE);
    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    assertThat(fixture.inboxes.inserts).hasSize(1);
    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldExamineEachMemberAtMostThreeTimesWhenAllAreOffline() {
    List<Route> routes = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      routes.add(route(new Receiver.Inbox("m" + i, 1)));
    }
    routes.add(route(new Receiver.Live("n2", 1, "m7"))); // an ended incarnation
    CountingRoutes members = new CountingRoutes(routes);
    ShareMatch share = new ShareMatch("s", "a", members);
    ShareSelection selection =
        new ShareSelection(
            DeliveryFixture.SELF,
            new RemoteDelivery(DeliveryFixture.SELF, fixture.streams, fixture.observer),
            fixture.local,
            fixture.registry,
            DeliveryFixture.SMALL);
    members.reads = 0;

    ShareSelection.Choice choice =
        selection.choose(
            new ShareAttempt(
                FakeSession.TENANT, share, message("a", AT_LEAST_ONCE, "m"), null, null, null));

    assertThat(choice).isInstanceOf(ShareSelection.Choice.Stored.class);
    assertThat(members.reads).isBetween(members.size(), 3 * members.size());
  }

  private static Route route(Receiver receiver) {
    return new Route(
        FakeSession.TENANT,
        TopicFilter.parse(SHARED),
        receiver,
        SubscriptionOptions.ofQos(AT_LEAST_ONCE));
  }

  @Test
  void shouldDropQos0WhenAllMembersAreOffline() {
    fixture.addInboxRoute("offline", SHARED, AT_LEAST_ONCE);
    fixture.publishAndRun(message("a", AT_MOST_ONCE, "m"));
    assertThat(fixture.inboxes.inserts).isEmpty();
    assertThat(fixture.observer.onDropped(CopyDropReason.QOS0_OFFLINE)).isEqualTo(1);
  }

  @Test
  void shouldDeliverQos0LiveToAPersistentMember() {
    FakeSession persistent = fixture.connectPersistent("p", fixture.otherLoop);
    fixture.subscribe(persistent, SHARED, AT_LEAST_ONCE);
    fixture.addInboxRoute("p", SHARED, AT_LEAST_ONCE);

    fixture.publishAndRun(message("a", AT_MOST_ONCE, "m"));

    assertThat(persistent.texts()).containsExactly("m");
    assertThat(fixture.observer.drops()).isEmpty();
  }

  @Test
  void shouldDeliverAtTheOldQosUntilTheRouteOfAPersistentMemberIsReplaced() {
    FakeSession persistent = fixture.connectPersistent("p", fixture.otherLoop);
    fixture.subscribe(persistent, SHARED, AT_MOST_ONCE);
    fixture.addInboxRoute("p", SHARED, AT_MOST_ONCE);
    fixture.router.hold();
    fixture.local.subscribe(
        persistent, TopicFilter.parse(SHARED), SubscriptionOptions.ofQos(AT_LEAST_ONCE));

    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(persistent.deliveries)
        .singleElement()
        .satisfies(delivery -> assertThat(delivery.qos()).isEqualTo(AT_MOST_ONCE));
    assertThat(fixture.observer.drops()).isEmpty();
    fixture.router.releaseOne();
  }

  @Test
  void shouldTryTheNextMemberAndRemoveTheRouteWhenAnInboxIsGone() {
    fixture.addInboxRoute("a-gone", SHARED, AT_LEAST_ONCE);
    fixture.addInboxRoute("b-there", SHARED, AT_LEAST_ONCE);
    fixture.inboxes.outcomes.put("a-gone", InsertOutcome.ABSENT);

    for (int i = 0; i < 2; i++) {
      fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(
            fixture.inboxes.inserts.stream()
                .filter(i -> i.targets().get(0).id().clientId().equals("b-there")))
        .hasSize(2);
    assertThat(fixture.router.filters()).hasSize(1);
    assertThat(fixture.outcomes).containsOnly(PublishOutcome.ACCEPTED);
  }

  /** After Clean Start, the old session's route awaits removal while the new route exists. */
  @Test
  void shouldTryTheNewInboxOfAClientWhoseOldOneIsGone() {
    fixture.addInboxRoute("again", SHARED, AT_LEAST_ONCE);
    fixture.router.add(
        new Route(
            FakeSession.TENANT,
            TopicFilter.parse(SHARED),
            new Receiver.Inbox("again", 2),
            SubscriptionOptions.ofQos(AT_LEAST_ONCE)));
    fixture.inboxes.outcomes.put("again/1", InsertOutcome.ABSENT);

    for (int i = 0; i < 2; i++) {
      fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(
            fixture.inboxes.inserts.stream()
                .filter(insert -> insert.targets().get(0).incarnation() == 2))
        .hasSize(2);
    assertThat(fixture.outcomes).containsOnly(PublishOutcome.ACCEPTED);
    assertThat(fixture.observer.drops()).isEmpty();
  }

  @Test
  void shouldAnswerNotDurableWhenTheNextMembersInboxFails() {
    fixture.addInboxRoute("gone", SHARED, AT_LEAST_ONCE);
    fixture.inboxes.failure = new IllegalStateException("down");
    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.NOT_DURABLE);
  }

  @Test
  void shouldTryTheNextMemberWhenAnInboxIsFull() {
    fixture.addInboxRoute("full", SHARED, AT_LEAST_ONCE);
    fixture.inboxes.outcomes.put("full", InsertOutcome.REFUSED_FULL);
    FakeSession live = fixture.connect("live", fixture.otherLoop);
    fixture.connectPersistent("full", fixture.loop);
    fixture.subscribe(live, SHARED, AT_LEAST_ONCE);

    for (int i = 0; i < 4; i++) {
      fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(live.texts()).hasSize(4);
    assertThat(fixture.outcomes).containsOnly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldNotChooseAMemberThatHasUnsubscribed() {
    FakeSession leaving = subscribeMember("one", fixture.loop);
    FakeSession staying = subscribeMember("two", fixture.loop);
    fixture.router.hold(); // its route remains for a while
    fixture.local.unsubscribe(leaving, TopicFilter.parse(SHARED));

    for (int i = 0; i < 3; i++) {
      fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(leaving.deliveries).isEmpty();
    assertThat(staying.deliveries).hasSize(3);
  }

  @Test
  void shouldDeliverAtTheQosOfTheLatestSubscription() {
    FakeSession member = subscribeMember("one", fixture.loop);
    fixture.router.hold(); // its route keeps the old options for a while
    fixture.local.subscribe(
        member, TopicFilter.parse(SHARED), SubscriptionOptions.ofQos(AT_MOST_ONCE));

    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(member.deliveries).extracting(Delivery::qos).containsExactly(AT_MOST_ONCE);
  }

  @Test
  void shouldCountAMessageWhoseOnlyMemberBelongsToAnEndedIncarnation() {
    fixture.router.add(route(new Receiver.Live("n2", 1, "far")));
    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    assertThat(fixture.observer.onDropped(CopyDropReason.NO_SHARE_MEMBER)).isEqualTo(1);
  }

  @Test
  void shouldChooseTheSameMemberAgainWhenThePublisherRepeatsAMessage() {
    for (String client : List.of("i1", "i2", "i3", "i4")) {
      fixture.addInboxRoute(client, SHARED, AT_LEAST_ONCE);
    }
    Set<String> chosen = new TreeSet<>();
    for (int i = 0; i < 40; i++) {
      PublishId id = new PublishId(9, i, 0);
      fixture.publish(message("a", AT_LEAST_ONCE, "m"), id);
      fixture.publish(message("a", AT_LEAST_ONCE, "m"), id);
      List<String> clients =
          fixture.inboxes.inserts.stream().map(in -> in.targets().get(0).id().clientId()).toList();
      assertThat(clients.get(2 * i)).isEqualTo(clients.get(2 * i + 1));
      chosen.add(clients.get(2 * i));
    }
    assertThat(chosen).as("all members are chosen for some messages").hasSize(4);
  }

  @Test
  void shouldRedistributeUnacknowledgedMessagesWhenAMemberLeaves() {
    FakeSession leaving = subscribeMember("one", fixture.loop);
    FakeSession staying = subscribeMember("two", fixture.otherLoop);
    fixture.subscribe(leaving, "a", AT_LEAST_ONCE);
    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m0"));
    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m1"));
    List<String> before = staying.texts();
    leaving.closed = true;
    fixture.local.removeAll(leaving);

    fixture.loop.run(
        () -> fixture.distribution.redistribute(leaving, List.copyOf(leaving.deliveries)));
    fixture.otherLoop.runAll();

    assertThat(before).hasSize(1);
    assertThat(staying.texts()).containsExactlyInAnyOrder("m0", "m1");
    assertThat(fixture.observer.redistributed.sum())
        .as("messages of ordinary subscriptions are not redistributed")
        .isEqualTo(1);
  }

  /** The sender may have chosen another member already, as it considers this incarnation ended. */
  @Test
  void shouldRedistributeOnlyQos1MessagesWithoutALease() {
    FakeSession leaving = fixture.connect("one", fixture.loop);
    FakeSession staying = fixture.connect("two", fixture.loop);
    fixture.subscribe(leaving, SHARED, EXACTLY_ONCE);
    for (Qos qos : Qos.values()) {
      fixture.publishAndRun(message("a", qos, "m" + qos.level()));
    }
    fixture.subscribe(staying, SHARED, EXACTLY_ONCE);
    fixture.local.removeAll(leaving);
    fixture.serving = false;

    fixture.loop.run(
        () -> fixture.distribution.redistribute(leaving, List.copyOf(leaving.deliveries)));

    assertThat(leaving.texts()).hasSize(3);
    assertThat(staying.texts()).containsExactly("m1");
    assertThat(fixture.observer.onDropped(CopyDropReason.NOT_SERVING)).isEqualTo(2);
    assertThat(fixture.observer.redistributed.sum()).isEqualTo(1);
  }

  @Test
  void shouldStoreOrCountRedistributedMessagesWhenNobodyIsConnected() {
    FakeSession leaving = subscribeMember("one", fixture.loop);
    fixture.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    fixture.addInboxRoute("offline", SHARED, AT_LEAST_ONCE);
    fixture.local.removeAll(leaving);
    fixture.loop.run(() -> fixture.distribution.redistribute(leaving, leaving.deliveries));
    assertThat(fixture.inboxes.inserts).hasSize(1);

    fixture.inboxes.failure = new IllegalStateException("down");
    fixture.loop.run(() -> fixture.distribution.redistribute(leaving, leaving.deliveries));
    assertThat(fixture.observer.onDropped(CopyDropReason.SHARE_NOT_STORED)).isEqualTo(1);

    FakeSession alone = subscribeMember("alone", fixture.loop);
    assertThat(alone.deliveries).isEmpty();
    Delivery unknown =
        new Delivery(
            message("z", AT_LEAST_ONCE, "m"),
            AT_LEAST_ONCE,
            false,
            List.of(),
            new ShareKey(FakeSession.TENANT, "s", "z"));
    fixture.loop.run(() -> fixture.distribution.redistribute(leaving, List.of(unknown)));
    assertThat(fixture.observer.onDropped(CopyDropReason.NO_SHARE_MEMBER)).isEqualTo(1);
  }

  @Test
  void shouldBoundTheNumberOfRememberedShares() {
    for (int i = 0; i < 40; i++) {
      FakeSession one = fixture.connect("one" + i, fixture.loop);
      fixture.subscribe(one, "$share/s" + i + "/many", AT_MOST_ONCE);
    }
    fixture.publishAndRun(message("many", AT_MOST_ONCE, "m"));
    assertThat(fixture.observer.delivered.sum()).isEqualTo(40);
    assertThat(fixture.distribution.status().shares()).isLessThanOrEqualTo(16);
  }

  private FakeSession subscribeMember(String clientId, ManualLoop loop) {
    FakeSession session = fixture.connect(clientId, loop);
    fixture.subscribe(session, SHARED, AT_LEAST_ONCE);
    return session;
  }
}
