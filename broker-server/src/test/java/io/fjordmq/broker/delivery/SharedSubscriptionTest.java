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

/** Goal: one member of a share gets each message, and a member that fails costs none. */
class SharedSubscriptionTest {
  private static final String SHARED = "$share/s/a";

  private final DeliveryWorld world = new DeliveryWorld();

  @Test
  void shouldTakeTurnsWhenMembersAreConnected() {
    FakeSession one = member("one", world.loop);
    FakeSession two = member("two", world.other);
    for (int i = 0; i < 4; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }
    assertThat(one.taken).hasSize(2);
    assertThat(two.taken).hasSize(2);
    assertThat(one.taken).allMatch(Delivery::isShared);
    assertThat(world.answers).containsOnly(PublishOutcome.ACCEPTED);
  }

  /** Whoever stands behind one that cannot take its turn gets its own turn, not two. */
  @Test
  void shouldTakeTurnsAcrossMembersThatAreAway() {
    FakeSession one = member("one", world.loop);
    world.inboxRoute("away", SHARED, AT_LEAST_ONCE);
    FakeSession gone = member("gone", world.loop);
    FakeSession two = member("two", world.loop);
    FakeSession three = member("three", world.other);
    world.local.removeAll(gone); // its route is still there

    for (int i = 0; i < 6; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(one.taken).hasSize(2);
    assertThat(two.taken).hasSize(2);
    assertThat(three.taken).hasSize(2);
    assertThat(world.inboxes.inserts).isEmpty();
  }

  @Test
  void shouldTakeTurnsAmongInboxesWhenAllAreAway() {
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
  void shouldServeEveryShareAndOrdinarySubscribersToo() {
    FakeSession both = world.connect("both", world.loop);
    world.subscribe(both, "$share/x/a", AT_LEAST_ONCE);
    world.subscribe(both, "$share/y/+", AT_MOST_ONCE);
    world.subscribe(both, "a", AT_LEAST_ONCE);

    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(both.taken).hasSize(3);
    assertThat(both.taken.stream().filter(Delivery::isShared)).hasSize(2);
  }

  @Test
  void shouldGiveItToTheNextWhenAMemberOnAnotherLoopRefuses() {
    FakeSession refusing = member("one", world.other);
    FakeSession taking = member("two", world.loop);
    refusing.closed = true;

    for (int i = 0; i < 3; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(taking.texts()).containsExactlyInAnyOrder("m0", "m1", "m2");
    assertThat(taking.flushes).isPositive();
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

  /** One that may not read a message has not gone: nothing else is taken from it. */
  @Test
  void shouldKeepTheSubscriptionsOfAMemberThatMayNotReadTheMessage() {
    FakeSession mayNot = member("one", world.other);
    world.subscribe(mayNot, "+", AT_MOST_ONCE);
    FakeSession may = member("two", world.loop);
    mayNot.mayNotRead = true;

    for (int i = 0; i < 3; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }
    world.local.removeAll(may);
    world.publishAndRun(message("a", AT_LEAST_ONCE, "for nobody"));

    assertThat(may.texts()).containsExactlyInAnyOrder("m0", "m1", "m2");
    assertThat(mayNot.texts()).containsExactly("m0", "m1", "m2", "for nobody");
    assertThat(world.observer.onDropped(CopyDropReason.NO_SHARE_MEMBER)).isEqualTo(1);
    assertThat(world.answers).containsOnly(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldCountWhatNobodyTakes() {
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

    assertThat(live.taken).hasSize(2);
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
  void shouldLookAtEachOfManyMembersAFewTimesWhenAllAreAway() {
    List<Route> routes = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      routes.add(route(new Receiver.Inbox("m" + i, 1)));
    }
    routes.add(route(new Receiver.Live("n2", 1, "m7"))); // a life that is over
    CountedRoutes members = new CountedRoutes(routes);
    ShareMatch share = new ShareMatch("s", "a", members);
    ShareSelection selection =
        new ShareSelection(
            DeliveryWorld.SELF,
            new OtherNodes(DeliveryWorld.SELF, world.nodes, world.observer),
            world.local,
            world.registry,
            DeliveryWorld.SMALL);
    members.looks = 0;

    ShareSelection.Choice choice =
        selection.choose(
            new ShareAttempt(
                FakeSession.TENANT, share, message("a", AT_LEAST_ONCE, "m"), null, null, null));

    assertThat(choice).isInstanceOf(ShareSelection.Choice.Stored.class);
    assertThat(members.looks).isBetween(members.size(), 3 * members.size());
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
  void shouldReachAPersistentMemberLiveWhenTheMessageIsQos0() {
    FakeSession persistent = world.connectPersistent("p", world.other);
    world.subscribe(persistent, SHARED, AT_LEAST_ONCE);
    world.inboxRoute("p", SHARED, AT_LEAST_ONCE);

    world.publishAndRun(message("a", AT_MOST_ONCE, "m"));

    assertThat(persistent.texts()).containsExactly("m");
    assertThat(world.observer.drops()).isEmpty();
  }

  @Test
  void shouldReachAPersistentMemberAsBeforeWhileItsRoutesDoNotSayMoreYet() {
    FakeSession persistent = world.connectPersistent("p", world.other);
    world.subscribe(persistent, SHARED, AT_MOST_ONCE);
    world.inboxRoute("p", SHARED, AT_MOST_ONCE);
    world.router.hold();
    world.local.subscribe(
        persistent, TopicFilter.parse(SHARED), SubscriptionOptions.ofQos(AT_LEAST_ONCE));

    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(persistent.taken)
        .singleElement()
        .satisfies(delivery -> assertThat(delivery.qos()).isEqualTo(AT_MOST_ONCE));
    assertThat(world.observer.drops()).isEmpty();
    world.router.releaseOne();
  }

  @Test
  void shouldTryTheNextMemberAndForgetTheRouteWhenAnInboxIsNoMore() {
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

  /** After Clean Start the old session's route waits for its removal beside the new one's. */
  @Test
  void shouldTryTheNewInboxOfAClientWhoseOldOneIsNoMore() {
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
  void shouldAskTheNextMemberWhenAnInboxIsFull() {
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
    world.router.hold(); // its route lives on for a while
    world.local.unsubscribe(leaving, TopicFilter.parse(SHARED));

    for (int i = 0; i < 3; i++) {
      world.publishAndRun(message("a", AT_LEAST_ONCE, "m" + i));
    }

    assertThat(leaving.taken).isEmpty();
    assertThat(staying.taken).hasSize(3);
  }

  @Test
  void shouldDeliverWithTheQosThatTheMemberAskedForLast() {
    FakeSession member = member("one", world.loop);
    world.router.hold(); // its route keeps the options of before for a while
    world.local.subscribe(
        member, TopicFilter.parse(SHARED), SubscriptionOptions.ofQos(AT_MOST_ONCE));

    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));

    assertThat(member.taken).extracting(Delivery::qos).containsExactly(AT_MOST_ONCE);
  }

  @Test
  void shouldCountWhatOnlyAMemberCouldTakeWhoseNodesLifeIsOver() {
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
  void shouldGiveUnacknowledgedMessagesToTheOthersWhenAMemberGoesAway() {
    FakeSession leaving = member("one", world.loop);
    FakeSession staying = member("two", world.other);
    world.subscribe(leaving, "a", AT_LEAST_ONCE);
    world.publishAndRun(message("a", AT_LEAST_ONCE, "m0"));
    world.publishAndRun(message("a", AT_LEAST_ONCE, "m1"));
    List<String> before = staying.texts();
    leaving.closed = true;
    world.local.removeAll(leaving);

    world.loop.run(() -> world.publisher.redistribute(leaving, List.copyOf(leaving.taken)));
    world.other.runAll();

    assertThat(before).hasSize(1);
    assertThat(staying.texts()).containsExactlyInAnyOrder("m0", "m1");
    assertThat(world.observer.redistributed.sum())
        .as("ordinary ones are its own loss")
        .isEqualTo(1);
  }

  /** What waited for it may have come from a node that goes on without this one by now. */
  @Test
  void shouldGiveToTheOthersWithoutALeaseOnlyWhatMayComeTwice() {
    FakeSession leaving = world.connect("one", world.loop);
    FakeSession staying = world.connect("two", world.loop);
    world.subscribe(leaving, SHARED, EXACTLY_ONCE);
    for (Qos qos : Qos.values()) {
      world.publishAndRun(message("a", qos, "m" + qos.level()));
    }
    world.subscribe(staying, SHARED, EXACTLY_ONCE);
    world.local.removeAll(leaving);
    world.serving = false;

    world.loop.run(() -> world.publisher.redistribute(leaving, List.copyOf(leaving.taken)));

    assertThat(leaving.texts()).hasSize(3);
    assertThat(staying.texts()).containsExactly("m1");
    assertThat(world.observer.onDropped(CopyDropReason.NOT_SERVING)).isEqualTo(2);
    assertThat(world.observer.redistributed.sum()).isEqualTo(1);
  }

  @Test
  void shouldStoreOrCountWhatIsRedistributedWhenNobodyIsConnected() {
    FakeSession leaving = member("one", world.loop);
    world.publishAndRun(message("a", AT_LEAST_ONCE, "m"));
    world.inboxRoute("offline", SHARED, AT_LEAST_ONCE);
    world.local.removeAll(leaving);
    world.loop.run(() -> world.publisher.redistribute(leaving, leaving.taken));
    assertThat(world.inboxes.inserts).hasSize(1);

    world.inboxes.failure = new IllegalStateException("down");
    world.loop.run(() -> world.publisher.redistribute(leaving, leaving.taken));
    assertThat(world.observer.onDropped(CopyDropReason.SHARE_NOT_STORED)).isEqualTo(1);

    FakeSession alone = member("alone", world.loop);
    assertThat(alone.taken).isEmpty();
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
  void shouldBeginAnewWhenMoreSharesThanRememberedTakeTurns() {
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
