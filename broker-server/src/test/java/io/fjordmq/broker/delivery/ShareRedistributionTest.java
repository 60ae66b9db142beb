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

/** Goal: undelivered messages of an ended session stay until a member has accepted them. */
class ShareRedistributionTest {
  private static final String SHARED = "$share/s/a";
  private static final InboxId GONE = new InboxId(FakeSession.TENANT, "gone");
  private static final long INCARNATION = 1;

  private final DeliveryFixture fixture = new DeliveryFixture();
  private final ShareRedistribution redistribution =
      new ShareRedistribution(fixture.inboxes, fixture.distribution.rerouting());

  private void addUndelivered(long sequence, Qos qos) {
    addUndelivered(sequence, "s/a", qos);
  }

  private void addUndelivered(long sequence, String share, Qos qos) {
    fixture.inboxes.undelivered.add(
        new UndeliveredShareMessage(sequence, share, message("a", qos, "m" + sequence)));
  }

  private void redistributeAll() {
    redistribution.redistribute(GONE, INCARNATION);
    for (int hop = 0; hop < 3; hop++) { // from one loop to the next
      fixture.loop.runAll();
      fixture.otherLoop.runAll();
    }
  }

  @Test
  void shouldRedistributeMessagesToConnectedMembers() {
    FakeSession member = subscribeMember("one", fixture.loop);
    FakeSession other = subscribeMember("two", fixture.otherLoop);
    addUndelivered(3, AT_LEAST_ONCE);
    addUndelivered(5, EXACTLY_ONCE);
    addUndelivered(6, AT_LEAST_ONCE);
    redistributeAll();
    assertThat(member.deliveries.size() + other.deliveries.size()).isEqualTo(3);
    assertThat(member.deliveries).allMatch(Delivery::isShared);
    assertThat(fixture.inboxes.reportedDeliveries).containsExactly(List.of(), List.of(3L, 5L, 6L));
    assertThat(fixture.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldKeepMessagesUntilTheMemberHasAcceptedThem() {
    FakeSession member = subscribeMember("one", fixture.loop);
    addUndelivered(3, AT_LEAST_ONCE);
    redistribution.redistribute(GONE, INCARNATION);
    redistribution.redistribute(GONE, INCARNATION);
    assertThat(fixture.inboxes.reportedDeliveries).containsExactly(List.of());
    fixture.loop.runAll();
    assertThat(member.texts()).containsExactly("m3");
    assertThat(fixture.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldStoreMessagesForTheNextMemberWhenOneIsGone() {
    FakeSession closed = subscribeMember("closed", fixture.loop);
    closed.closed = true;
    fixture.addInboxRoute("stale", SHARED, AT_LEAST_ONCE);
    fixture.addInboxRoute("away", SHARED, AT_LEAST_ONCE);
    fixture.inboxes.outcomes.put("stale", InsertOutcome.ABSENT);
    addUndelivered(3, EXACTLY_ONCE);
    redistributeAll();
    assertThat(fixture.inboxes.inserts)
        .filteredOn(insert -> insert.targets().get(0).id().clientId().equals("away"))
        .singleElement()
        .satisfies(
            insert -> {
              assertThat(insert.id()).isEqualTo(PublishId.ofUndelivered(GONE, INCARNATION, 3, 3));
              assertThat(insert.targets().get(0).share()).isEqualTo("s/a");
            });
    assertThat(fixture.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldKeepMessagesUntilAnInboxHasStoredThem() {
    fixture.addInboxRoute("away", SHARED, AT_LEAST_ONCE);
    addUndelivered(3, AT_LEAST_ONCE);
    fixture.inboxes.gate = new CompletableFuture<>();
    redistributeAll();
    assertThat(fixture.inboxes.undelivered).hasSize(1);
    fixture.inboxes.gate.complete(null);
    assertThat(fixture.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldKeepMessagesWhenStoringFailsOrTheNodeDoesNotServe() {
    fixture.addInboxRoute("away", SHARED, AT_LEAST_ONCE);
    addUndelivered(3, AT_LEAST_ONCE);
    fixture.inboxes.failure = new IllegalStateException("down");
    redistributeAll();
    fixture.inboxes.failure = null;
    fixture.hasDiskSpace = false;
    redistributeAll();
    fixture.hasDiskSpace = true;
    fixture.serving = false;
    announce(4);
    assertThat(fixture.inboxes.undelivered).hasSize(1);
    assertThat(fixture.observer.onDropped(CopyDropReason.SHARE_NOT_STORED)).isZero();
    fixture.serving = true;
    announce(4);
    assertThat(fixture.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldCountMessagesOnceWhenTheShareHasNoMembersLeft() {
    addUndelivered(3, AT_LEAST_ONCE);
    addUndelivered(4, AT_LEAST_ONCE);
    redistributeAll();
    redistributeAll();
    assertThat(fixture.inboxes.undelivered).isEmpty();
    assertThat(fixture.observer.onDropped(CopyDropReason.NO_SHARE_MEMBER)).isEqualTo(2);
    assertThat(fixture.observer.redistributed.sum()).isZero();
  }

  @Test
  void shouldReadMessagesInPages() {
    fixture.addInboxRoute("away", SHARED, AT_LEAST_ONCE);
    for (int i = 1; i <= 200; i++) {
      addUndelivered(i, AT_LEAST_ONCE);
    }
    redistributeAll();
    assertThat(fixture.inboxes.reportedDeliveries)
        .extracting(List::size)
        .containsExactly(0, 64, 64, 64, 8);
    assertThat(fixture.inboxes.inserts).hasSize(200);
  }

  /** The new leader continues from the stored state; two nodes at once would send duplicates. */
  @Test
  void shouldLeaveMessagesToTheNewLeaderOfTheRange() {
    fixture.addInboxRoute("away", SHARED, AT_LEAST_ONCE);
    for (int i = 1; i <= 200; i++) {
      addUndelivered(i, AT_LEAST_ONCE);
    }
    fixture.inboxes.gate = new CompletableFuture<>();
    redistributeAll();
    fixture.inboxes.localLeader = false;
    fixture.inboxes.gate.complete(null);
    assertThat(fixture.inboxes.inserts).hasSize(64);
    assertThat(fixture.inboxes.reportedDeliveries)
        .as("reports the messages that it has redistributed")
        .extracting(List::size)
        .containsExactly(0, 64);
    assertThat(fixture.inboxes.undelivered).hasSize(136);
    redistributeAll();
    assertThat(fixture.inboxes.reportedDeliveries).as("does not start over").hasSize(2);
    fixture.inboxes.localLeader = true;
    redistributeAll();
    assertThat(fixture.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldRedistributeOnlyAsManyMessagesAsMembersHaveRoomFor() {
    FakeSession full = subscribeMember("full", fixture.loop);
    FakeSession member = subscribeMember("roomy", fixture.otherLoop);
    full.capacity = 1;
    member.capacity = 4;
    for (int i = 1; i <= 8; i++) {
      addUndelivered(i, i % 2 == 0 ? AT_LEAST_ONCE : EXACTLY_ONCE);
    }
    for (int announced = 0; announced < 3; announced++) {
      redistributeAll();
    }
    assertThat(full.deliveries).hasSize(1);
    assertThat(member.deliveries).hasSize(4);
    assertThat(fixture.inboxes.undelivered).hasSize(3);
    assertThat(fixture.observer.drops()).isEmpty();
    assertThat(fixture.observer.redistributed.sum()).isEqualTo(5);
    full.capacity = 4;
    announce(2);
    assertThat(full.deliveries).hasSize(4);
    assertThat(fixture.inboxes.undelivered).isEmpty();
    assertThat(fixture.observer.redistributed.sum()).isEqualTo(8);
  }

  /** A message that no member can accept is not retried until the store announces it again. */
  @Test
  void shouldWaitForTheNextAnnouncementWhenNoMemberHasRoom() {
    FakeSession full = subscribeMember("full", fixture.loop);
    full.capacity = 0;
    fixture.addInboxRoute("away", SHARED, AT_LEAST_ONCE);
    fixture.inboxes.outcomes.put("away", InsertOutcome.REFUSED_FULL);
    addUndelivered(1, AT_LEAST_ONCE);
    redistributeAll();
    assertThat(fixture.inboxes.reportedDeliveries).hasSize(1);
    assertThat(fixture.inboxes.inserts).hasSize(1);
    assertThat(fixture.inboxes.undelivered).hasSize(1);
    assertThat(fixture.observer.drops()).isEmpty();
    fixture.inboxes.outcomes.clear();
    redistributeAll();
    assertThat(fixture.inboxes.inserts).hasSize(2);
    assertThat(fixture.inboxes.undelivered).isEmpty();
  }

  @Test
  void shouldTryABoundedNumberOfMembersWithoutRoom() {
    List<FakeSession> members = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      FakeSession full = subscribeMember("full" + i, fixture.loop);
      full.capacity = 0;
      members.add(full);
    }
    addUndelivered(1, AT_LEAST_ONCE);
    redistributeAll();
    assertThat(fixture.inboxes.undelivered).hasSize(1);
    assertThat(members.stream().mapToInt(full -> full.refusals).sum()).isEqualTo(8);
  }

  /** A fault must not remove messages that the store still holds. */
  @Test
  void shouldKeepMessagesWhenTheSessionOfTheMemberFails() {
    FakeSession member = subscribeMember("one", fixture.loop);
    addUndelivered(1, AT_LEAST_ONCE);
    addUndelivered(2, EXACTLY_ONCE);
    member.broken = true;
    redistributeAll();
    assertThat(fixture.inboxes.undelivered).hasSize(2);
    assertThat(fixture.observer.onDropped(CopyDropReason.FAULT)).isPositive();
    member.broken = false;
    redistributeAll();
    assertThat(member.texts()).containsExactlyInAnyOrder("m1", "m2");
    assertThat(fixture.inboxes.undelivered).isEmpty();
  }

  /** A QoS 0 message would be dropped immediately. */
  @Test
  void shouldKeepMessagesWhileTheStreamToTheNodeOfTheMemberIsFull() {
    NodeStream stream = openFullStream();
    fixture.addInboxRoute("away", SHARED, AT_MOST_ONCE);
    fixture.router.add(
        new Route(
            FakeSession.TENANT,
            TopicFilter.parse(SHARED),
            new Receiver.Live("n2", 1, "far"),
            SubscriptionOptions.ofQos(AT_MOST_ONCE)));
    fixture.addInboxRoute("none", SHARED, AT_MOST_ONCE);
    addUndelivered(1, AT_LEAST_ONCE);
    redistributeAll();
    assertThat(stream.isFull()).isTrue();
    assertThat(fixture.inboxes.undelivered).hasSize(1);
    assertThat(fixture.observer.drops()).isEmpty();
  }

  /** Fills the stream to a node that does not respond. */
  private NodeStream openFullStream() {
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
    TestMembership members = new TestMembership(new NodeId(DeliveryFixture.SELF.id()));
    members.setUp(new NodeId("n2"), 1);
    members.watch(
        new StreamLifecycle(
            new NodeId(DeliveryFixture.SELF.id()),
            fixture.streams,
            LoopbackPeers.immediate().start(new NodeId(DeliveryFixture.SELF.id())),
            new ManualTimers(),
            small,
            NodesObserver.NONE));
    NodeStream stream = Objects.requireNonNull(fixture.streams.find("n2"));
    for (int i = 0; i < 20; i++) {
      stream.offer(new byte[100], outcome -> {});
    }
    return stream;
  }

  @Test
  void shouldKeepMessagesWhileTheEventLoopOfTheMemberIsCongested() {
    FakeSession member = subscribeMember("one", fixture.otherLoop);
    fixture.subscribe(member, "b", AT_MOST_ONCE);
    for (int i = 0; i < 60; i++) {
      fixture.publish(message("b", AT_MOST_ONCE, "b"));
    }
    long dropped = fixture.observer.onDropped(CopyDropReason.MAILBOX_FULL);
    assertThat(dropped).as("the mailbox is full").isPositive();
    addUndelivered(1, AT_LEAST_ONCE);
    addUndelivered(2, AT_LEAST_ONCE);
    redistributeAll();
    assertThat(fixture.inboxes.undelivered).hasSize(2);
    redistributeAll();
    assertThat(member.texts()).contains("m1", "m2");
    assertThat(fixture.inboxes.undelivered).isEmpty();
    assertThat(fixture.observer.onDropped(CopyDropReason.MAILBOX_FULL)).isEqualTo(dropped);
  }

  /** Each refusal of an inbox is a log entry with the whole message. */
  @Test
  void shouldTryOnlyOneMessageOfAShareWithoutRoom() {
    List<FakeSession> members = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      FakeSession full = subscribeMember("full" + i, fixture.loop);
      full.capacity = 0;
      members.add(full);
    }
    fixture.addInboxRoute("away", "$share/t/a", AT_LEAST_ONCE);
    for (int i = 1; i <= 64; i++) {
      addUndelivered(i, i % 2 == 0 ? "t/a" : "s/a", i % 4 < 2 ? AT_LEAST_ONCE : EXACTLY_ONCE);
    }
    redistributeAll();
    assertThat(members.stream().mapToInt(full -> full.refusals).sum()).isEqualTo(8);
    assertThat(fixture.inboxes.inserts).hasSize(32);
    assertThat(fixture.inboxes.undelivered)
        .hasSize(32)
        .allMatch(left -> left.share().equals("s/a"));
  }

  @Test
  void shouldBackOffUntilAMemberAcceptsAMessage() {
    FakeSession full = subscribeMember("full", fixture.loop);
    full.capacity = 0;
    addUndelivered(1, AT_LEAST_ONCE);
    addUndelivered(2, AT_LEAST_ONCE);
    announce(4);
    assertThat(full.refusals).as("after 0, 10 and 30 s").isEqualTo(3);
    announce(96);
    assertThat(full.refusals).as("then 70, 150, 310, 610, 910 s").isEqualTo(8);
    full.capacity = 1;
    announce(22);
    assertThat(full.deliveries).hasSize(1);
    int before = full.refusals;
    redistributeAll();
    redistributeAll();
    assertThat(full.refusals).as("the backoff starts over").isEqualTo(before + 2);
    full.capacity = 2;
    announce(2);
    assertThat(fixture.inboxes.undelivered).isEmpty();
  }

  /** A receiver remembers 65,535 messages and treats older ones as repeated. */
  @Test
  void shouldNotRedistributeFarAheadOfABlockedMessage() {
    FakeSession full = fixture.connect("full", fixture.loop);
    fixture.subscribe(full, "$share/stuck/a", EXACTLY_ONCE);
    full.capacity = 0;
    FakeSession member = subscribeMember("roomy", fixture.loop);
    addUndelivered(1, "stuck/a", EXACTLY_ONCE);
    addUndelivered(10_000, EXACTLY_ONCE);
    addUndelivered(10_001, EXACTLY_ONCE);
    addUndelivered(10_002, AT_LEAST_ONCE);
    redistributeAll();
    redistributeAll();
    assertThat(member.texts()).containsExactly("m10000", "m10002");
    full.capacity = 1;
    announce(2);
    assertThat(full.texts()).containsExactly("m1");
    assertThat(member.texts()).containsExactly("m10000", "m10002", "m10001");
    assertThat(fixture.inboxes.undelivered).isEmpty();
  }

  private void announce(int times) {
    for (int i = 0; i < times; i++) {
      redistributeAll();
    }
  }

  private FakeSession subscribeMember(String clientId, ManualLoop loop) {
    FakeSession session = fixture.connect(clientId, loop);
    fixture.subscribe(session, SHARED, EXACTLY_ONCE);
    return session;
  }
}
