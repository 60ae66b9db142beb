package io.fjordmq.broker.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.consensus.sim.SimTimers;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.testing.RecordBuilder;
import io.fjordmq.testing.Seeds;
import io.fjordmq.testing.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NodeStreamsTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodesSettings SMALL =
      RecordBuilder.from(NodesSettings.DEFAULTS)
          .with(NodesSettings::maxBatchItems, 3)
          .with(NodesSettings::maxBatchBytes, 300)
          .with(NodesSettings::highWaterBytes, 500)
          .with(NodesSettings::maxQueuedBytes, 1_000)
          .with(NodesSettings::maxQueuedNotices, 2)
          .with(NodesSettings::maxLaggingSessions, 2)
          .with(NodesSettings::publishTimeout, Duration.ofSeconds(10))
          .with(NodesSettings::responseTimeout, Duration.ofSeconds(5))
          .with(NodesSettings::resendAfter, Duration.ofMillis(100))
          .build();
  private static final Duration ONE_SECOND = Duration.ofSeconds(1);

  private final ManualTimers timers = new ManualTimers();
  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final TestMembership membershipOfA = new TestMembership(A);
  private final TestMembership membershipOfB = new TestMembership(B);
  private final NodeStreams streams = new NodeStreams();
  private final StreamLifecycle lifecycle =
      new StreamLifecycle(A, streams, peers.start(A), timers, SMALL, NodesObserver.NONE);
  private final RecordingReceiver receiverAtB = new RecordingReceiver();
  private final List<ItemOutcome> outcomes = new ArrayList<>();

  NodeStreamsTest() {
    new NodeReceiver(membershipOfB, receiverAtB, NodesObserver.NONE).start(peers.start(B));
    membershipOfA.setUp(B, 1);
    membershipOfA.watch(lifecycle);
  }

  /** Records the items a node has received, as text. */
  private static final class RecordingReceiver implements ItemReceiver {
    final List<String> received = new ArrayList<>();
    final List<Responder> pendingResponders = new ArrayList<>();
    boolean delayResponses;

    @Override
    public void onItem(NodeId from, NodeItem item, Responder responder) {
      received.add(text(item));
      if (delayResponses) {
        pendingResponders.add(responder);
      } else {
        responder.respondAccepted(!text(item).equals("nobody's"));
      }
    }

    @Override
    public void onBatchComplete() {}

    private static String text(NodeItem item) {
      if (item instanceof NodeItem.Publish publish) {
        return publish.message().topic().name();
      } else if (item instanceof NodeItem.Refetch again) {
        return "refetch " + again.inbox().clientId();
      }
      return item.getClass().getSimpleName();
    }
  }

  private NodeStream streamToB() {
    return Objects.requireNonNull(streams.find("b"));
  }

  private void offer(String... topics) {
    for (String topic : topics) {
      streamToB().offer(item(topic, 0), outcomes::add);
    }
  }

  private static byte[] item(String topic, int payloadBytes) {
    return new NodeItem.Publish("t", message(topic, payloadBytes), null).encode();
  }

  private static Message message(String topic, int payloadBytes) {
    return new Message(
        new Topic(topic),
        new byte[payloadBytes],
        Qos.AT_LEAST_ONCE,
        false,
        MessageProperties.NONE,
        "p",
        0,
        Message.NEVER);
  }

  private static NodeItem.Appended appendedItem(String client) {
    return new NodeItem.Appended(
        new InboxHandle(new InboxId("t", client), 1, 1),
        List.of(new InboxEntry(1, message("entry", 0), Qos.AT_LEAST_ONCE, false, List.of())));
  }

  private void push(NodeItem.Appended entries) {
    streamToB().queueEntries(entries);
    streamToB().sendQueued();
  }

  @Test
  void shouldDeliverItemsOnceAndInOrder() {
    offer("1", "nobody's", "3");
    assertThat(receiverAtB.received).containsExactly("1", "nobody's", "3");
    assertThat(outcomes)
        .containsExactly(ItemOutcome.ACCEPTED, ItemOutcome.REJECTED, ItemOutcome.ACCEPTED);
    assertThat(streams.status()).isEqualTo(new NodesStatus(1, 0, 0, 0));
  }

  @Test
  void shouldResendUnacknowledgedBatchesWithoutDuplicates() {
    peers.cut(B, A);
    offer("1", "2", "3", "4", "5");
    assertThat(receiverAtB.received).as("received, but the response was lost").containsExactly("1");
    timers.advance(ONE_SECOND);
    assertThat(outcomes).isEmpty();
    peers.heal();
    timers.advance(ONE_SECOND);
    assertThat(receiverAtB.received).containsExactly("1", "2", "3", "4", "5");
    assertThat(outcomes).hasSize(5).containsOnly(ItemOutcome.ACCEPTED);
  }

  private void offerWithTimeout(String... topics) {
    for (String topic : topics) {
      streamToB().offerWithDeadline(item(topic, 0), outcomes::add);
    }
  }

  /**
   * Goal: no item waits forever for a node that is alive but unreachable. Method: its responses are
   * lost; each outcome is reported once at the timeout, in order.
   */
  @Test
  void shouldReportAnOverdueItemAndKeepSending() {
    peers.cut(B, A);
    offerWithTimeout("1");
    offer("nobody waits");
    timers.advance(SMALL.publishTimeout().minusMillis(1_000));
    offerWithTimeout("2");
    timers.advance(Duration.ofMillis(999));
    assertThat(outcomes).isEmpty();
    timers.advance(Duration.ofMillis(1));
    assertThat(outcomes).containsExactly(ItemOutcome.OVERDUE);
    timers.advance(SMALL.publishTimeout());
    assertThat(outcomes).containsExactly(ItemOutcome.OVERDUE, ItemOutcome.OVERDUE);
    outcomes.clear();
    peers.heal();
    timers.advance(ONE_SECOND);
    assertThat(receiverAtB.received).containsExactly("1", "nobody waits", "2");
    assertThat(outcomes).as("of the item without a deadline").containsExactly(ItemOutcome.ACCEPTED);
    offerWithTimeout("3");
    timers.advance(SMALL.publishTimeout().multipliedBy(2));
    assertThat(outcomes).containsExactly(ItemOutcome.ACCEPTED, ItemOutcome.ACCEPTED);
  }

  @Test
  void shouldReportTheEndOfTheReceivingIncarnationOnce() {
    peers.cut(A, B);
    offerWithTimeout("1");
    timers.advance(ONE_SECOND);
    offerWithTimeout("2");
    timers.advance(SMALL.publishTimeout().minus(ONE_SECOND));
    membershipOfA.setState(B, Member.State.DOWN);
    timers.advance(SMALL.publishTimeout().multipliedBy(2));
    assertThat(outcomes).containsExactly(ItemOutcome.OVERDUE, ItemOutcome.INCARNATION_ENDED);
  }

  /** A QoS 0 publisher is not throttled forever, nor again for each message. */
  @Test
  void shouldNotSlowPublishersForLongWhenTheReceiverDoesNotAnswer() {
    peers.cut(A, B);
    while (!streamToB().isCongested()) {
      offer("x");
    }
    List<String> drained = new ArrayList<>();
    streamToB().whenDrained(() -> drained.add("slowed"));
    timers.advance(SMALL.publishTimeout().minusMillis(1));
    assertThat(drained).isEmpty();
    timers.advance(Duration.ofMillis(1));
    assertThat(drained).containsExactly("slowed");
    streamToB().whenDrained(() -> drained.add("not slowed"));
    assertThat(drained).containsExactly("slowed", "not slowed");
    peers.heal();
    timers.advance(ONE_SECOND);
    assertThat(streamToB().isCongested()).isFalse();
    peers.cut(A, B);
    while (!streamToB().isCongested()) {
      offer("x");
    }
    streamToB().whenDrained(() -> drained.add("slowed again"));
    assertThat(drained).hasSize(2);
  }

  @Test
  void shouldReportOutcomesOnlyWhenTheReceiverAcknowledges() {
    receiverAtB.delayResponses = true;
    offer("1", "2");
    assertThat(receiverAtB.received).containsExactly("1");
    peers.cut(A, B);
    peers.heal();
    timers.advance(ONE_SECOND);
    assertThat(receiverAtB.received).as("resent, but received before").containsExactly("1");
    receiverAtB.delayResponses = false;
    receiverAtB.pendingResponders.get(0).respondAccepted(true);
    assertThat(receiverAtB.received).containsExactly("1", "2");
    assertThat(outcomes).containsOnly(ItemOutcome.ACCEPTED).hasSize(2);
  }

  @Test
  void shouldCompletePendingItemsWhenTheReceivingIncarnationEnds() {
    NodeStream before = streamToB();
    peers.cut(A, B);
    offer("1", "2");
    membershipOfA.setState(B, Member.State.DOWN);
    assertThat(outcomes)
        .containsExactly(ItemOutcome.INCARNATION_ENDED, ItemOutcome.INCARNATION_ENDED);
    assertThat(streams.find("b")).isNull();
    before.offer(item("late", 0), outcomes::add);
    assertThat(outcomes).hasSize(3).containsOnly(ItemOutcome.INCARNATION_ENDED);
    membershipOfA.setUp(B, 2);
    peers.heal();
    assertThat(streams.find("b", 1)).isNull();
    offer("for the next incarnation");
    timers.advance(ONE_SECOND);
    assertThat(receiverAtB.received).as("the node has not begun this incarnation yet").isEmpty();
    membershipOfB.endIncarnation();
    membershipOfB.beginIncarnation();
    timers.advance(ONE_SECOND);
    assertThat(receiverAtB.received).containsExactly("for the next incarnation");
  }

  @Test
  void shouldNotSendToANodeThatIsStarting() {
    membershipOfA.setState(B, Member.State.STARTING);
    assertThat(streams.find("b")).isNull();
    assertThat(streams.all()).isEmpty();
    membershipOfA.setUp(B, 1);
    assertThat(streams.find("b")).isNotNull();
  }

  /** Events of ranges led by this node must reach the clients of other nodes. */
  @Test
  void shouldSendWhileThisNodeIsStarting() {
    membershipOfA.setState(A, Member.State.STARTING);
    offer("one");
    membershipOfA.setUp(A, 1);
    offer("two");
    timers.advance(ONE_SECOND);
    assertThat(receiverAtB.received).containsExactly("one", "two");
  }

  @Test
  void shouldStartANewStreamWithTheNextIncarnationOfThisNode() {
    offer("1");
    peers.cut(A, B);
    offer("2");
    membershipOfA.endIncarnation();
    assertThat(outcomes).containsExactly(ItemOutcome.ACCEPTED, ItemOutcome.ABANDONED);
    membershipOfA.beginIncarnation();
    peers.heal();
    timers.advance(ONE_SECOND);
    offer("3");
    assertThat(receiverAtB.received).containsExactly("1", "3");
  }

  @Test
  void shouldRejectBatchesOfAnEarlierIncarnationAfterALaterOne() {
    NodeStreams late = new NodeStreams();
    TestMembership before = new TestMembership(A);
    before.setUp(B, 1);
    before.watch(new StreamLifecycle(A, late, peers.start(A), timers, SMALL, NodesObserver.NONE));
    NodeStream earlier = Objects.requireNonNull(late.find("b"));
    before.endIncarnation();
    before.beginIncarnation();
    Objects.requireNonNull(late.find("b")).offer(item("second incarnation", 0), outcomes::add);
    new StreamSender(1, peers.start(A), timers, SMALL, NodesObserver.NONE)
        .send(earlier, new StreamBatch(1, 1, 1, List.of(item("first incarnation", 0))));
    timers.advance(ONE_SECOND);
    assertThat(receiverAtB.received).containsExactly("second incarnation");
  }

  @Test
  void shouldBeFullAboveItsCapacityAndDrainedBelowTheHighWaterMark() {
    peers.cut(A, B);
    List<String> drained = new ArrayList<>();
    for (int i = 0; !streamToB().isCongested(); i++) {
      offer("" + i);
    }
    streamToB().whenDrained(() -> drained.add("drained"));
    assertThat(streamToB().isFull()).isFalse();
    while (!streamToB().isFull()) {
      offer("more");
    }
    assertThat(streams.status().bytes()).isBetween(1_001L, 1_200L);
    assertThat(streams.status().full()).isEqualTo(1);
    assertThat(drained).isEmpty();
    peers.heal();
    timers.advance(ONE_SECOND);
    assertThat(drained).containsExactly("drained");
    assertThat(streamToB().isFull()).isFalse();
    assertThat(receiverAtB.received).hasSize(outcomes.size());
  }

  @Test
  void shouldSendEntriesTogetherThatWereQueuedTogether() {
    receiverAtB.delayResponses = true;
    streamToB().queueEntries(appendedItem("c"));
    streamToB().queueEntries(appendedItem("d"));
    assertThat(receiverAtB.received).isEmpty();
    streamToB().sendQueued();
    assertThat(receiverAtB.received)
        .as("before any response")
        .containsExactly("Appended", "Appended");
  }

  @Test
  void shouldSendQueuedEntriesBeforeALaterNotice() {
    streamToB().queueEntries(appendedItem("c"));
    streamToB().sendNotice(new NodeItem.FenceNotice(appendedItem("c").handle()));
    assertThat(receiverAtB.received).containsExactly("Appended", "FenceNotice");
  }

  @Test
  void shouldReplaceEntriesByARefetchWhenFull() {
    peers.cut(A, B);
    while (!streamToB().isFull()) {
      offer("x");
    }
    push(appendedItem("c"));
    push(appendedItem("c"));
    push(appendedItem("d"));
    peers.heal();
    timers.advance(ONE_SECOND);
    assertThat(receiverAtB.received).doesNotContain("Appended").endsWith("refetch c", "refetch d");
    push(appendedItem("c"));
    assertThat(receiverAtB.received).endsWith("Appended");
  }

  @Test
  void shouldReplaceEntriesThatExceedABatchByARefetch() {
    InboxEntry large =
        new InboxEntry(1, message("large", 200), Qos.AT_LEAST_ONCE, false, List.of());
    InboxHandle handle = appendedItem("c").handle();
    push(new NodeItem.Appended(handle, List.of(large)));
    push(new NodeItem.Appended(handle, List.of(large, large)));
    assertThat(receiverAtB.received).containsExactly("Appended", "refetch c");
  }

  @Test
  void shouldRefetchAllInboxesWhenTooManySessionsLag() {
    peers.cut(A, B);
    while (!streamToB().isFull()) {
      offer("x");
    }
    List.of("c", "d", "e", "f").forEach(client -> push(appendedItem(client)));
    peers.heal();
    timers.advance(ONE_SECOND);
    assertThat(receiverAtB.received).endsWith("x", "LeaderNotice");
  }

  @Test
  void shouldReportWhenNoMoreNoticesFit() {
    peers.cut(A, B);
    assertThat(streams.canAcceptNotices()).isTrue();
    for (int i = 0; i < 2; i++) {
      streamToB().sendNotice(new NodeItem.FenceNotice(appendedItem("c").handle()));
    }
    assertThat(streams.canAcceptNotices()).isFalse();
    peers.heal();
    timers.advance(ONE_SECOND);
    assertThat(streams.canAcceptNotices()).isTrue();
    assertThat(receiverAtB.received).containsExactly("FenceNotice", "FenceNotice");
  }

  @Test
  void shouldHaveNoStreamsAfterClose() {
    peers.cut(A, B);
    offer("1");
    lifecycle.close();
    assertThat(outcomes).containsExactly(ItemOutcome.ABANDONED);
    membershipOfA.setUp(B, 2);
    assertThat(streams.all()).isEmpty();
  }

  @Test
  @Tag(Seeds.TAG)
  void shouldDeliverItemsOnceAndInOrderOverAnUnreliableNetwork() {
    Seeds.withDefaultCount(50).run(NodeStreamsTest::runOnUnreliableNetwork);
  }

  private static void runOnUnreliableNetwork(long seed) {
    Simulation simulation = new Simulation(seed);
    SimNetwork network = new SimNetwork(simulation);
    network.setFaults(SimNetwork.Faults.UNRELIABLE);
    LoopbackPeers simulated = LoopbackPeers.simulated(network);
    NodeStreams streams = new NodeStreams();
    TestMembership membershipOfA = new TestMembership(A);
    membershipOfA.setUp(B, 1);
    membershipOfA.watch(
        new StreamLifecycle(
            A, streams, simulated.start(A), SimTimers.of(simulation), SMALL, NodesObserver.NONE));
    RecordingReceiver receiverAtB = new RecordingReceiver();
    new NodeReceiver(new TestMembership(B), receiverAtB, NodesObserver.NONE)
        .start(simulated.start(B));
    NodeStream toB = Objects.requireNonNull(streams.find("b"));
    List<ItemOutcome> outcomes = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      toB.offer(item("" + i, 0), outcomes::add);
      simulation.run(simulation.between(0, 30));
    }
    network.setFaults(SimNetwork.Faults.NONE);
    simulation.run(60_000);
    assertThat(receiverAtB.received)
        .as("seed %d", seed)
        .isEqualTo(IntStream.range(0, 300).mapToObj(String::valueOf).toList());
    assertThat(outcomes).as("seed %d", seed).hasSize(300).containsOnly(ItemOutcome.ACCEPTED);
  }
}
