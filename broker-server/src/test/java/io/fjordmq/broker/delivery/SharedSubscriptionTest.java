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

  private final DeliveryWorld world = new DeliveryWorld();

  @Test
  void shouldRotateAmongConnectedMembers() {
    FakeSession one = member("one", world.loop);
    FakeSession two = member("two", world.other);
    for (int i = 0; i < 4; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }
    assertThat(one.deliveries).hasSize(2);
    assertThat(two.deliveries).hasSize(2);
    assertThat(one.deliveries).allMatch(Delivery::isShared);
    assertThat(world.answers).containsOnly(PublishOutcome.ACCEPTED);
  }

  /** A member that follows an unavailable one gets its own turn, not two. */
  @Test
  void shouldRotateAmongTheRemainingMembersWhenSomeAreGone() {
    FakeSession one = member("one", world.loop);
    world.inboxRoute("away", SHARED, AT_LEAST_ONCE);
    FakeSession gone = member("gone", world.loop);
    FakeSession two = member("two", world.loop);
    FakeSession three = member("three", world.other);
    world.local.removeAll(gone); // its route is still there

    for (int i = 0; i < 6; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(one.deliveries).hasSize(2);
    assertThat(two.deliveries).hasSize(2);
    assertThat(three.deliveries).hasSize(2);
    assertThat(world.inboxes.inserts).isEmpty();
  }

  @Test
  void shouldRotateAmongInboxesWhenAllMembersAreOffline() {
    world.inboxRoute("one", SHARED, AT_LEAST_ONCE);
    world.inboxRoute("two", SHARED, AT_LEAST_ONCE);

    for (int i = 0; i < 4; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(world.inboxes.inserts)
        .extracting(insert -> insert.targets().get(0).id().clientId())
        .containsExactly("one", "two", "one", "two");
  }

  @Test
  void shouldDeliverToEveryShareAndToOrdinarySubscribers() {
    FakeSession both = world.connect("both", world.loop);
    world.subscribe(both, "$share/x/a", AT_LEAST_ONCE);
    world.subscribe(both, "$share/y/+", AT_MOST_ONCE);
    world.subscribe(both, "a", AT_LEAST_ONCE);

    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(both.deliveries).hasSize(3);
    assertThat(both.deliveries.stream().filter(Delivery::isShared)).hasSize(2);
  }

  @Test
  void shouldTryTheNextMemberWhenAMemberOnAnotherLoopRefuses() {
    FakeSession refusing = member("one", world.other);
    FakeSession accepting = member("two", world.loop);
    refusing.closed = true;

    for (int i = 0; i < 3; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(accepting.texts()).containsExactlyInAnyOrder("m0", "m1", "m2");
    assertThat(accepting.flushes).isPositive();
    assertThat(world.observer.drops()).isEmpty();
  }

  @Test
  void shouldStoreItInAnOfflineInboxWhenTheLastConnectedMemberRefuses() {
    FakeSession refusing = member("one", world.other);
    refusing.closed = true;
    world.inboxRoute("offline", SHARED, AT_LEAST_ONCE);

    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(world.inboxes.inserts).hasSize(1);
    assertThat(world.observer.drops()).isEmpty();
  }

  /** A member that may not read one message has not left; it keeps its other messages. */
  @Test
  void shouldKeepTheSubscriptionsOfAMemberThatMayNotReadTheMessage() {
    FakeSession forbidden = member("one", world.other);
    world.subscribe(forbidden, "+", AT_MOST_ONCE);
    FakeSession permitted = member("two", world.loop);
    forbidden.mayNotRead = true;

    for (int i = 0; i < 3; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }
    world.local.removeAll(permitted);
    world.publishAndRun(message("a", AT_LEAST_ONCE, "for nobody"));

    assertThat(permitted.texts()).containsExactlyInAnyOrder("m0", "m1", "m2");
    assertThat(forbidden.texts()).containsExactly("m0", "m1", "m2", "for nobody");
    assertThat(world.observer.onDropped(CopyDropReason.NO_SHARE_MEMBER)).isEqualTo(1);
    assertThat(world.answers).containsOnly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldCountMessagesThatNoMemberTakes() {
    FakeSession refusing = member("one", world.other);
    refusing.closed = true;

    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(world.observer.onDropped(CopyDropReason.NO_SHARE_MEMBER)).isEqualTo(1);
  }

  @Test
  void shouldPreferConnectedMembersToOfflineInboxes() {
    world.inboxRoute("attached", SHARED, AT_LEAST_ONCE);
    world.inboxRoute("offline", SHARED, AT_LEAST_ONCE);
    world.connectPersistent("attached", world.loop);
    FakeSession live = member("live", world.loop);

    for (int i = 0; i < 4; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(live.deliveries).hasSize(2);
    assertThat(world.inboxes.inserts)
        .hasSize(2)
        .allMatch(insert -> insert.targets().get(0).id().clientId().equals("attached"));
  }

  @Test
  void shouldStoreInAnOfflineInboxWhenNobodyIsConnected() {
    world.inboxRoute("offline", SHARED, AT_LEAST_ONCE);
    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    assertThat(world.inboxes.inserts).hasSize(1);
    assertThat(world.lastAnswer()).isEqualTo(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldExamineEachMemberAtMostThreeTimesWhenAllAreOffline() {
    List<Route> routes = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      routes.add(route(new Receiver.Inbox("m" + i, 1)));
    }
    routes.add(route(new Receiver.Live("n2", 1, "m7"))); // an ended incarnation
    CountedRoutes members = new CountedRoutes(routes);
    ShareMatch share = new ShareMatch("s", "a", members);
    ShareSelection selection =
        new ShareSelection(
            DeliveryWorld.SELF,
            new OtherNodes(DeliveryWorld.SELF, world.nodes, world.observer),
            world.local,
            world.registry,
            DeliveryWorld.SMALL);
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
    world.inboxRoute("offline", SHARED, AT_LEAST_ONCE);
    world.publishAndRun(message("a", AT_MOST_ONCE, "m"));
    assertThat(world.inboxes.inserts).isEmpty();
    assertThat(world.observer.onDropped(CopyDropReason.QOS0_OFFLINE)).isEqualTo(1);
  }

  @Test
  void shouldDeliverQos0LiveToAPersistentMember() {
    FakeSession persistent = world.connectPersistent("p", world.other);
    world.subscribe(persistent, SHARED, AT_LEAST_ONCE);
    world.inboxRoute("p", SHARED, AT_LEAST_ONCE);

    world.publishAndRun(message("a", AT_MOST_ONCE, "m"));

    assertThat(persistent.texts()).containsExactly("m");
    assertThat(world.observer.drops()).isEmpty();
  }

  @Test
  void shouldDeliverAtTheOldQosUntilTheRouteOfAPersistentMemberIsReplaced() {
    FakeSession persistent = world.connectPersistent("p", world.other);
    world.subscribe(persistent, SHARED, AT_MOST_ONCE);
    world.inboxRoute("p", SHARED, AT_MOST_ONCE);
    world.router.hold();
    world.local.subscribe(
        persistent, TopicFilter.parse(SHARED), SubscriptionOptions.ofQos(AT_LEAST_ONCE));

    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(persistent.deliveries)
        .singleElement()
        .satisfies(delivery -> assertThat(delivery.qos()).isEqualTo(AT_MOST_ONCE));
    assertThat(world.observer.drops()).isEmpty();
    world.router.releaseOne();
  }

  @Test
  void shouldTryTheNextMemberAndRemoveTheRouteWhenAnInboxIsGone() {
    world.inboxRoute("a-gone", SHARED, AT_LEAST_ONCE);
    world.inboxRoute("b-there", SHARED, AT_LEAST_ONCE);
    world.inboxes.outcomes.put("a-gone", InsertOutcome.ABSENT);

    for (int i = 0; i < 2; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(
            world.inboxes.inserts.stream()
                .filter(i -> i.targets().get(0).id().clientId().equals("b-there")))
        .hasSize(2);
    assertThat(world.router.filters()).hasSize(1);
    assertThat(world.answers).containsOnly(PublishOutcome.ACCEPTED);
  }

  /** After Clean Start, the old session's route awaits removal while the new route exists. */
  @Test
  void shouldTryTheNewInboxOfAClientWhoseOldOneIsGone() {
    world.inboxRoute("again", SHARED, AT_LEAST_ONCE);
    world.router.add(
        new Route(
            FakeSession.TENANT,
            TopicFilter.parse(SHARED),
            new Receiver.Inbox("again", 2),
            SubscriptionOptions.ofQos(AT_LEAST_ONCE)));
    world.inboxes.outcomes.put("again/1", InsertOutcome.ABSENT);

    for (int i = 0; i < 2; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(
            world.inboxes.inserts.stream()
                .filter(insert -> insert.targets().get(0).incarnation() == 2))
        .hasSize(2);
    assertThat(world.answers).containsOnly(PublishOutcome.ACCEPTED);
    assertThat(world.observer.drops()).isEmpty();
  }

  @Test
  void shouldAnswerNotDurableWhenTheNextMembersInboxFails() {
    world.inboxRoute("gone", SHARED, AT_LEAST_ONCE);
    world.inboxes.failure = new IllegalStateException("down");
    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    assertThat(world.lastAnswer()).isEqualTo(PublishOutcome.NOT_DURABLE);
  }

  @Test
  void shouldTryTheNextMemberWhenAnInboxIsFull() {
    world.inboxRoute("full", SHARED, AT_LEAST_ONCE);
    world.inboxes.outcomes.put("full", InsertOutcome.REFUSED_FULL);
    FakeSession live = world.connect("live", world.other);
    world.connectPersistent("full", world.loop);
    world.subscribe(live, SHARED, AT_LEAST_ONCE);

    for (int i = 0; i < 4; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(live.texts()).hasSize(4);
    assertThat(world.answers).containsOnly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldNotChooseAMemberThatHasUnsubscribed() {
    FakeSession leaving = member("one", world.loop);
    FakeSession staying = member("two", world.loop);
    world.router.hold(); // its route remains for a while
    world.local.unsubscribe(leaving, TopicFilter.parse(SHARED));

    for (int i = 0; i < 3; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(leaving.deliveries).isEmpty();
    assertThat(staying.deliveries).hasSize(3);
  }

  @Test
  void shouldDeliverAtTheQosOfTheLatestSubscription() {
    FakeSession member = member("one", world.loop);
    world.router.hold(); // its route keeps the old options for a while
    world.local.subscribe(
        member, TopicFilter.parse(SHARED), SubscriptionOptions.ofQos(AT_MOST_ONCE));

    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(member.deliveries).extracting(Delivery::qos).containsExactly(AT_MOST_ONCE);
  }

  @Test
  void shouldCountAMessageWhoseOnlyMemberBelongsToAnEndedIncarnation() {
    world.router.add(route(new Receiver.Live("n2", 1, "far")));
    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    assertThat(world.observer.onDropped(CopyDropReason.NO_SHARE_MEMBER)).isEqualTo(1);
  }

  @Test
  void shouldChooseTheSameMemberAgainWhenThePublisherRepeatsAMessage() {
    for (String client : List.of("i1", "i2", "i3", "i4")) {
      world.inboxRoute(client, SHARED, AT_LEAST_ONCE);
    }
    Set<String> chosen = new TreeSet<>();
    for (int i = 0; i < 40; i++) {
      PublishId id = new PublishId(9, i, 0);
      world.publish(message("a", AT_LEAST_ONCE, "m"), id);
      world.publish(message("a", AT_LEAST_ONCE, "m"), id);
      List<String> clients =
          world.inboxes.inserts.stream().map(in -> in.targets().get(0).id().clientId()).toList();
      assertThat(clients.get(2 * i)).isEqualTo(clients.get(2 * i + 1));
      chosen.add(clients.get(2 * i));
    }
    assertThat(chosen).as("and yet all members get some").hasSize(4);
  }

  @Test
  void shouldRedistributeUnacknowledgedMessagesWhenAMemberLeaves() {
    FakeSession leaving = member("one", world.loop);
    FakeSession staying = member("two", world.other);
    world.subscribe(leaving, "a", AT_LEAST_ONCE);
    world.publishAndRun(message("a", AT_LEAST_ONCE, "m0"));
    world.publishAndRun(message("a", AT_LEAST_ONCE, "m1"));
    List<String> before = staying.texts();
    leaving.closed = true;
    world.local.removeAll(leaving);

    world.loop.run(() -> world.publisher.redistribute(leaving, List.copyOf(leaving.deliveries)));
    world.other.runAll();

    assertThat(before).hasSize(1);
    assertThat(staying.texts()).containsExactlyInAnyOrder("m0", "m1");
    assertThat(world.observer.redistributed.sum())
        .as("ordinary ones are its own loss")
        .isEqualTo(1);
  }

  /** A message waiting for it may come from a node that has continued without this one. */
  @Test
  void shouldRedistributeOnlyQos1MessagesWithoutALease() {
    FakeSession leaving = world.connect("one", world.loop);
    FakeSession staying = world.connect("two", world.loop);
    world.subscribe(leaving, SHARED, EXACTLY_ONCE);
    for (Qos qos : Qos.values()) {
      world.publishAndRun(message("a", qos, "m" + qos.level()));
    }
    world.subscribe(staying, SHARED, EXACTLY_ONCE);
    world.local.removeAll(leaving);
    world.serving = false;

    world.loop.run(() -> world.publisher.redistribute(leaving, List.copyOf(leaving.deliveries)));

    assertThat(leaving.texts()).hasSize(3);
    assertThat(staying.texts()).containsExactly("m1");
    assertThat(world.observer.onDropped(CopyDropReason.NOT_SERVING)).isEqualTo(2);
    assertThat(world.observer.redistributed.sum()).isEqualTo(1);
  }

  @Test
  void shouldStoreOrCountRedistributedMessagesWhenNobodyIsConnected() {
    FakeSession leaving = member("one", world.loop);
    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    world.inboxRoute("offline", SHARED, AT_LEAST_ONCE);
    world.local.removeAll(leaving);
    world.loop.run(() -> world.publisher.redistribute(leaving, leaving.deliveries));
    assertThat(world.inboxes.inserts).hasSize(1);

    world.inboxes.failure = new IllegalStateException("down");
    world.loop.run(() -> world.publisher.redistribute(leaving, leaving.deliveries));
    assertThat(world.observer.onDropped(CopyDropReason.SHARE_NOT_STORED)).isEqualTo(1);

    FakeSession alone = member("alone", world.loop);
    assertThat(alone.deliveries).isEmpty();
    Delivery unknown =
        new Delivery(
            message("z", AT_LEAST_ONCE, "m"),
            AT_LEAST_ONCE,
            false,
            List.of(),
            new ShareKey(FakeSession.TENANT, "s", "z"));
    world.loop.run(() -> world.publisher.redistribute(leaving, List.of(unknown)));
    assertThat(world.observer.onDropped(CopyDropReason.NO_SHARE_MEMBER)).isEqualTo(1);
  }

  @Test
  void shouldBoundTheNumberOfRememberedShares() {
    for (int i = 0; i < 40; i++) {
      FakeSession one = world.connect("one" + i, world.loop);
      world.subscribe(one, "$share/s" + i + "/many", AT_MOST_ONCE);
    }
    world.publishAndRun(message("many", AT_MOST_ONCE, "m"));
    assertThat(world.observer.delivered.sum()).isEqualTo(40);
    assertThat(world.publisher.status().shares()).isLessThanOrEqualTo(16);
  }

  private FakeSession member(String clientId, ManualLoop loop) {
    FakeSession session = world.connect(clientId, loop);
    world.subscribe(session, SHARED, AT_LEAST_ONCE);
    return session;
  }
}
