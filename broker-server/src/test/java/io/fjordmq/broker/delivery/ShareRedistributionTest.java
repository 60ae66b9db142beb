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
import io.fjordmq.broker.nodes.NodeStream;
import io.fjordmq.broker.nodes.NodesObserver;
import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.broker.nodes.StreamLifecycle;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.inbox.UndeliveredShareMessage;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Goal: undelivered messages of an ended session are removed only after a member took them. */
class ShareRedistributionTest {
  private static final String SHARED = "$share/s/a";
  private static final InboxId GONE = new InboxId(FakeSession.TENANT, "gone");
  private static final long INCARNATION = 1;

  private final DeliveryWorld world = new DeliveryWorld();
  private final ShareRedistribution redistribution =
      new ShareRedistribution(world.inboxes, world.publisher.rerouting());

  private void addUndelivered(long sequence, Qos qos) {
    addUndelivered(sequence, "s/a", qos);
  }

  private void addUndelivered(long sequence, String share, Qos qos) {
    world.inboxes.undelivered.add(
        new UndeliveredShareMessage(sequence, share, message("a", qos, "m" + sequence)));
  }

  private void redistributeAll() {
    redistribution.redistribute(GONE, INCARNATION);
    for (int hop = 0; hop < 3; hop++) { // from one loop to the next
      world.loop.runAll();
      world.other.runAll();
    }
  }

  @Test
  void shouldRedistributeMessagesToConnectedMembers() {
    FakeSession member = member("one", world.loop);
    FakeSession other = member("two", world.other);
    addUndelivered(3, AT_LEAST_ONCE);
    addUndelivered(5, EXACTLY_ONCE);
    addUndelivered(6, AT_LEAST_ONCE);
    redistributeAll();
    assertThat(member.deliveries.size() + other.deliveries.size()).isEqualTo(3);
    assertThat(member.deliveries).allMatch(Delivery::isShared);
    assertThat(world.inboxes.reportedDeliveries).containsExactly(List.of(), List.of(3L, 5L, 6L));
    assertThat(world.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldKeepMessagesUntilTheMemberHasTakenThem() {
    FakeSession member = member("one", world.loop);
    addUndelivered(3, AT_LEAST_ONCE);
    redistribution.redistribute(GONE, INCARNATION);
    redistribution.redistribute(GONE, INCARNATION);
    assertThat(world.inboxes.reportedDeliveries).containsExactly(List.of());
    world.loop.runAll();
    assertThat(member.texts()).containsExactly("m3");
    assertThat(world.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldStoreMessagesForTheNextMemberWhenOneIsGone() {
    FakeSession closed = member("closed", world.loop);
    closed.closed = true;
    world.inboxRoute("stale", SHARED, AT_LEAST_ONCE);
    world.inboxRoute("away", SHARED, AT_LEAST_ONCE);
    world.inboxes.outcomes.put("stale", InsertOutcome.ABSENT);
    addUndelivered(3, EXACTLY_ONCE);
    redistributeAll();
    assertThat(world.inboxes.inserts)
        .filteredOn(insert -> insert.targets().get(0).id().clientId().equals("away"))
        .singleElement()
        .satisfies(
            insert -> {
              assertThat(insert.id()).isEqualTo(PublishId.ofUndelivered(GONE, INCARNATION, 3, 3));
              assertThat(insert.targets().get(0).share()).isEqualTo("s/a");
            });
    assertThat(world.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldKeepMessagesUntilAnInboxHasStoredThem() {
    world.inboxRoute("away", SHARED, AT_LEAST_ONCE);
    addUndelivered(3, AT_LEAST_ONCE);
    world.inboxes.gate = new CompletableFuture<>();
    redistributeAll();
    assertThat(world.inboxes.undelivered).hasSize(1);
    world.inboxes.gate.complete(null);
    assertThat(world.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldKeepMessagesWhenStoringFailsOrTheNodeDoesNotServe() {
    world.inboxRoute("away", SHARED, AT_LEAST_ONCE);
    addUndelivered(3, AT_LEAST_ONCE);
    world.inboxes.failure = new IllegalStateException("down");
    redistributeAll();
    world.inboxes.failure = null;
    world.room = false;
    redistributeAll();
    world.room = true;
    world.serving = false;
    announce(4);
    assertThat(world.inboxes.undelivered).hasSize(1);
    assertThat(world.observer.onDropped(CopyDropReason.SHARE_NOT_STORED)).isZero();
    world.serving = true;
    announce(4);
    assertThat(world.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldCountMessagesOnceWhenTheShareHasNoMembersLeft() {
    addUndelivered(3, AT_LEAST_ONCE);
    addUndelivered(4, AT_LEAST_ONCE);
    redistributeAll();
    redistributeAll();
    assertThat(world.inboxes.undelivered).isEmpty();
    assertThat(world.observer.onDropped(CopyDropReason.NO_SHARE_MEMBER)).isEqualTo(2);
    assertThat(world.observer.redistributed.sum()).isZero();
  }

  @Test
  void shouldReadMessagesInPages() {
    world.inboxRoute("away", SHARED, AT_LEAST_ONCE);
    for (int i = 1; i <= 200; i++) {
      addUndelivered(i, AT_LEAST_ONCE);
    }
    redistributeAll();
    assertThat(world.inboxes.reportedDeliveries)
        .extracting(List::size)
        .containsExactly(0, 64, 64, 64, 8);
    assertThat(world.inboxes.inserts).hasSize(200);
  }

  /** The new leader continues from the stored state; two nodes at once would send duplicates. */
  @Test
  void shouldLeaveMessagesToTheNewLeaderOfTheRange() {
    world.inboxRoute("away", SHARED, AT_LEAST_ONCE);
    for (int i = 1; i <= 200; i++) {
      addUndelivered(i, AT_LEAST_ONCE);
    }
    world.inboxes.gate = new CompletableFuture<>();
    redistributeAll();
    world.inboxes.localLeader = false;
    world.inboxes.gate.complete(null);
    assertThat(world.inboxes.inserts).hasSize(64);
    assertThat(world.inboxes.reportedDeliveries)
        .as("says what it has given")
        .extracting(List::size)
        .containsExactly(0, 64);
    assertThat(world.inboxes.undelivered).hasSize(136);
    redistributeAll();
    assertThat(world.inboxes.reportedDeliveries).as("does not begin again").hasSize(2);
    world.inboxes.localLeader = true;
    redistributeAll();
    assertThat(world.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldRedistributeOnlyAsManyMessagesAsMembersHaveRoomFor() {
    FakeSession full = member("full", world.loop);
    FakeSession member = member("roomy", world.other);
    full.room = 1;
    member.room = 4;
    for (int i = 1; i <= 8; i++) {
      addUndelivered(i, i % 2 == 0 ? AT_LEAST_ONCE : EXACTLY_ONCE);
    }
    for (int announced = 0; announced < 3; announced++) {
      redistributeAll();
    }
    assertThat(full.deliveries).hasSize(1);
    assertThat(member.deliveries).hasSize(4);
    assertThat(world.inboxes.undelivered).hasSize(3);
    assertThat(world.observer.drops()).isEmpty();
    assertThat(world.observer.redistributed.sum()).isEqualTo(5);
    full.room = 4;
    announce(2);
    assertThat(full.deliveries).hasSize(4);
    assertThat(world.inboxes.undelivered).isEmpty();
    assertThat(world.observer.redistributed.sum()).isEqualTo(8);
  }

  /** A message without room is not retried before the store announces it again. */
  @Test
  void shouldWaitForTheNextAnnouncementWhenNoMemberHasRoom() {
    FakeSession full = member("full", world.loop);
    full.room = 0;
    world.inboxRoute("away", SHARED, AT_LEAST_ONCE);
    world.inboxes.outcomes.put("away", InsertOutcome.REFUSED_FULL);
    addUndelivered(1, AT_LEAST_ONCE);
    redistributeAll();
    assertThat(world.inboxes.reportedDeliveries).hasSize(1);
    assertThat(world.inboxes.inserts).hasSize(1);
    assertThat(world.inboxes.undelivered).hasSize(1);
    assertThat(world.observer.drops()).isEmpty();
    world.inboxes.outcomes.clear();
    redistributeAll();
    assertThat(world.inboxes.inserts).hasSize(2);
    assertThat(world.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldTryABoundedNumberOfMembersWithoutRoom() {
    List<FakeSession> members = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      FakeSession full = member("full" + i, world.loop);
      full.room = 0;
      members.add(full);
    }
    addUndelivered(1, AT_LEAST_ONCE);
    redistributeAll();
    assertThat(world.inboxes.undelivered).hasSize(1);
    assertThat(members.stream().mapToInt(full -> full.refusals).sum()).isEqualTo(8);
  }

  /** A fault must not remove messages that the store still holds. */
  @Test
  void shouldKeepMessagesWhenTheSessionOfTheMemberFails() {
    FakeSession member = member("one", world.loop);
    addUndelivered(1, AT_LEAST_ONCE);
    addUndelivered(2, EXACTLY_ONCE);
    member.broken = true;
    redistributeAll();
    assertThat(world.inboxes.undelivered).hasSize(2);
    assertThat(world.observer.onDropped(CopyDropReason.FAULT)).isPositive();
    member.broken = false;
    redistributeAll();
    assertThat(member.texts()).containsExactlyInAnyOrder("m1", "m2");
    assertThat(world.inboxes.undelivered).isEmpty();
  }

  /** A QoS 0 message would be dropped immediately. */
  @Test
  void shouldKeepMessagesWhileTheStreamToTheNodeOfTheMemberIsFull() {
    NodeStream stream = fullStream();
    world.inboxRoute("away", SHARED, AT_MOST_ONCE);
    world.router.add(
        new Route(
            FakeSession.TENANT,
            TopicFilter.parse(SHARED),
            new Receiver.Live("n2", 1, "far"),
            SubscriptionOptions.ofQos(AT_MOST_ONCE)));
    world.inboxRoute("none", SHARED, AT_MOST_ONCE);
    addUndelivered(1, AT_LEAST_ONCE);
    redistributeAll();
    assertThat(stream.isFull()).isTrue();
    assertThat(world.inboxes.undelivered).hasSize(1);
    assertThat(world.observer.drops()).isEmpty();
  }

  /** The stream to a node that does not respond. */
  private NodeStream fullStream() {
    NodesSettings small =
        RecordBuilder.from(NodesSettings.DEFAULTS)
            .with(NodesSettings::maxBatchItems, 4)
            .with(NodesSettings::maxBatchBytes, 100)
            .with(NodesSettings::highWaterBytes, 100)
            .with(NodesSettings::maxQueuedBytes, 100)
            .with(NodesSettings::maxQueuedNotices, 4)
            .with(NodesSettings::maxLaggingSessions, 4)
            .with(NodesSettings::publishTimeout, Duration.ofSeconds(15))
            .with(NodesSettings::responseTimeout, Duration.ofSeconds(5))
            .with(NodesSettings::resendAfter, Duration.ofMillis(100))
            .build();
    TestMembership members = new TestMembership(new NodeId(DeliveryWorld.SELF.id()));
    members.setUp(new NodeId("n2"), 1);
    members.watch(
        new StreamLifecycle(
            new NodeId(DeliveryWorld.SELF.id()),
            world.nodes,
            LoopbackPeers.immediate().start(new NodeId(DeliveryWorld.SELF.id())),
            new ManualTimers(),
            small,
            NodesObserver.NONE));
    NodeStream stream = Objects.requireNonNull(world.nodes.find("n2"));
    for (int i = 0; i < 20; i++) {
      stream.offer(new byte[100], outcome -> {});
    }
    return stream;
  }

  @Test
  void shouldKeepMessagesWhileTheEventLoopOfTheMemberIsCongested() {
    FakeSession member = member("one", world.other);
    world.subscribe(member, "b", AT_MOST_ONCE);
    for (int i = 0; i < 60; i++) {
      world.publish(message("b", AT_MOST_ONCE, "b"));
    }
    long dropped = world.observer.onDropped(CopyDropReason.MAILBOX_FULL);
    assertThat(dropped).as("the mailbox is full").isPositive();
    addUndelivered(1, AT_LEAST_ONCE);
    addUndelivered(2, AT_LEAST_ONCE);
    redistributeAll();
    assertThat(world.inboxes.undelivered).hasSize(2);
    redistributeAll();
    assertThat(member.texts()).contains("m1", "m2");
    assertThat(world.inboxes.undelivered).isEmpty();
    assertThat(world.observer.onDropped(CopyDropReason.MAILBOX_FULL)).isEqualTo(dropped);
  }

  /** Each refusal of an inbox is a log entry with the whole message. */
  @Test
  void shouldTryOnlyOneMessageOfAShareWithoutRoom() {
    List<FakeSession> members = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      FakeSession full = member("full" + i, world.loop);
      full.room = 0;
      members.add(full);
    }
    world.inboxRoute("away", "$share/t/a", AT_LEAST_ONCE);
    for (int i = 1; i <= 64; i++) {
      addUndelivered(i, i % 2 == 0 ? "t/a" : "s/a", i % 4 < 2 ? AT_LEAST_ONCE : EXACTLY_ONCE);
    }
    redistributeAll();
    assertThat(members.stream().mapToInt(full -> full.refusals).sum()).isEqualTo(8);
    assertThat(world.inboxes.inserts).hasSize(32);
    assertThat(world.inboxes.undelivered).hasSize(32).allMatch(left -> left.share().equals("s/a"));
  }

  @Test
  void shouldBackOffUntilAMemberTakesAMessage() {
    FakeSession full = member("full", world.loop);
    full.room = 0;
    addUndelivered(1, AT_LEAST_ONCE);
    addUndelivered(2, AT_LEAST_ONCE);
    announce(4);
    assertThat(full.refusals).as("after 0, 10 and 30 s").isEqualTo(3);
    announce(96);
    assertThat(full.refusals).as("then 70, 150, 310, 610, 910 s").isEqualTo(8);
    full.room = 1;
    announce(22);
    assertThat(full.deliveries).hasSize(1);
    int before = full.refusals;
    redistributeAll();
    redistributeAll();
    assertThat(full.refusals).as("the pause begins anew").isEqualTo(before + 2);
    full.room = 2;
    announce(2);
    assertThat(world.inboxes.undelivered).isEmpty();
  }

  /** A receiver remembers 65,535 messages and treats older ones as repeated. */
  @Test
  void shouldNotRedistributeFarAheadOfABlockedMessage() {
    FakeSession full = world.connect("full", world.loop);
    world.subscribe(full, "$share/stuck/a", EXACTLY_ONCE);
    full.room = 0;
    FakeSession member = member("roomy", world.loop);
    addUndelivered(1, "stuck/a", EXACTLY_ONCE);
    addUndelivered(10_000, EXACTLY_ONCE);
    addUndelivered(10_001, EXACTLY_ONCE);
    addUndelivered(10_002, AT_LEAST_ONCE);
    redistributeAll();
    redistributeAll();
    assertThat(member.texts()).containsExactly("m10000", "m10002");
    full.room = 1;
    announce(2);
    assertThat(full.texts()).containsExactly("m1");
    assertThat(member.texts()).containsExactly("m10000", "m10002", "m10001");
    assertThat(world.inboxes.undelivered).isEmpty();
  }

  private void announce(int times) {
    for (int i = 0; i < times; i++) {
      redistributeAll();
    }
  }

  private FakeSession member(String clientId, ManualLoop loop) {
    FakeSession session = world.connect(clientId, loop);
    world.subscribe(session, SHARED, EXACTLY_ONCE);
    return session;
  }
}
