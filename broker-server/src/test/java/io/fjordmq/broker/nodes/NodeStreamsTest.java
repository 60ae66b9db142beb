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
  private static final Duration A_WHILE = Duration.ofSeconds(1);

  private final ManualTimers timers = new ManualTimers();
  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final TestMembership seenByA = new TestMembership(A);
  private final TestMembership seenByB = new TestMembership(B);
  private final NodeStreams streams = new NodeStreams();
  private final StreamLifecycle lifecycle =
      new StreamLifecycle(A, streams, peers.start(A), timers, SMALL, NodesObserver.NONE);
  private final RecordingReceiver atB = new RecordingReceiver();
  private final List<ItemOutcome> outcomes = new ArrayList<>();

  NodeStreamsTest() {
    new NodeReceiver(seenByB, atB, NodesObserver.NONE).start(peers.start(B));
    seenByA.setUp(B, 1);
    seenByA.watch(lifecycle);
  }

  /** Records the items a node has received, as text. */
  private static final class RecordingReceiver implements ItemReceiver {
    final List<String> taken = new ArrayList<>();
    final List<Responder> unanswered = new ArrayList<>();
    boolean late;

    @Override
    public void onItem(NodeItem item, Responder responder) {
      taken.add(text(item));
      if (late) {
        unanswered.add(responder);
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
        return "look again " + again.inbox().clientId();
      }
      return item.getClass().getSimpleName();
    }
  }

  private NodeStream toB() {
    return Objects.requireNonNull(streams.find("b"));
  }

  private void offer(String... topics) {
    for (String topic : topics) {
      toB().offer(item(topic, 0), outcomes::add);
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

  private static NodeItem.Appended appended(String client) {
    return new NodeItem.Appended(
        new InboxHandle(new InboxId("t", client), 1, 1),
        List.of(new InboxEntry(1, message("entry", 0), Qos.AT_LEAST_ONCE, false, List.of())));
  }

  @Test
  void shouldDeliverItemsOnceAndInOrder() {
    offer("1", "nobody's", "3");
    assertThat(atB.taken).containsExactly("1", "nobody's", "3");
    assertThat(outcomes)
        .containsExactly(ItemOutcome.ACCEPTED, ItemOutcome.REJECTED, ItemOutcome.ACCEPTED);
    assertThat(streams.status()).isEqualTo(new NodesStatus(1, 0, 0, 0));
  }

  @Test
  void shouldResendUnacknowledgedBatchesWithoutDuplicates() {
    peers.cut(B, A);
    offer("1", "2", "3", "4", "5");
    assertThat(atB.taken).as("it came, and the answer was lost").containsExactly("1");
    timers.advance(A_WHILE);
    assertThat(outcomes).isEmpty();
    peers.heal();
    timers.advance(A_WHILE);
    assertThat(atB.taken).containsExactly("1", "2", "3", "4", "5");
    assertThat(outcomes).hasSize(5).containsOnly(ItemOutcome.ACCEPTED);
  }

  private void offerWithTimeout(String... topics) {
    for (String topic : topics) {
      toB().offerWithDeadline(item(topic, 0), outcomes::add);
    }
  }

  /**
   * Goal: nobody waits forever for a node that is alive but unreachable. Method: its responses are
   * lost; the outcomes come at the timeout, in order, and none comes twice.
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
    timers.advance(A_WHILE);
    assertThat(atB.taken).containsExactly("1", "nobody waits", "2");
    assertThat(outcomes)
        .as("of the one that nobody waited for")
        .containsExactly(ItemOutcome.ACCEPTED);
    offerWithTimeout("3");
    timers.advance(SMALL.publishTimeout().multipliedBy(2));
    assertThat(outcomes).containsExactly(ItemOutcome.ACCEPTED, ItemOutcome.ACCEPTED);
  }

  @Test
  void shouldReportTheEndOfTheReceivingIncarnationOnce() {
    peers.cut(A, B);
    offerWithTimeout("1");
    timers.advance(A_WHILE);
    offerWithTimeout("2");
    timers.advance(SMALL.publishTimeout().minus(A_WHILE));
    seenByA.setState(B, Member.State.DOWN);
    timers.advance(SMALL.publishTimeout().multipliedBy(2));
    assertThat(outcomes).containsExactly(ItemOutcome.OVERDUE, ItemOutcome.INCARNATION_OVER);
  }

  /** A QoS 0 publisher is not slowed forever, nor once for each message. */
  @Test
  void shouldNotSlowPublishersForLongWhenTheReceiverDoesNotAnswer() {
    peers.cut(A, B);
    while (!toB().isCongested()) {
      offer("x");
    }
    List<String> drained = new ArrayList<>();
    toB().whenDrained(() -> drained.add("slowed"));
    timers.advance(SMALL.publishTimeout().minusMillis(1));
    assertThat(drained).isEmpty();
    timers.advance(Duration.ofMillis(1));
    assertThat(drained).containsExactly("slowed");
    toB().whenDrained(() -> drained.add("not slowed"));
    assertThat(drained).containsExactly("slowed", "not slowed");
    peers.heal();
    timers.advance(A_WHILE);
    assertThat(toB().isCongested()).isFalse();
    peers.cut(A, B);
    while (!toB().isCongested()) {
      offer("x");
    }
    toB().whenDrained(() -> drained.add("slowed again"));
    assertThat(drained).hasSize(2);
  }

  @Test
  void shouldReportOutcomesOnlyWhenTheReceiverAcknowledges() {
    atB.late = true;
    offer("1", "2");
    assertThat(atB.taken).containsExactly("1");
    peers.cut(A, B);
    peers.heal();
    timers.advance(A_WHILE);
    assertThat(atB.taken).as("it came again and is here").containsExactly("1");
    atB.late = false;
    atB.unanswered.get(0).respondAccepted(true);
    assertThat(atB.taken).containsExactly("1", "2");
    assertThat(outcomes).containsOnly(ItemOutcome.ACCEPTED).hasSize(2);
  }

  @Test
  void shouldCompletePendingItemsWhenTheReceivingIncarnationEnds() {
    NodeStream before = toB();
    peers.cut(A, B);
    offer("1", "2");
    seenByA.setState(B, Member.State.DOWN);
    assertThat(outcomes)
        .containsExactly(ItemOutcome.INCARNATION_OVER, ItemOutcome.INCARNATION_OVER);
    assertThat(streams.find("b")).isNull();
    before.offer(item("late", 0), outcomes::add);
    assertThat(outcomes).hasSize(3).containsOnly(ItemOutcome.INCARNATION_OVER);
    seenByA.setUp(B, 2);
    peers.heal();
    assertThat(streams.find("b", 1)).isNull();
    offer("for the next life");
    timers.advance(A_WHILE);
    assertThat(atB.taken).as("the node itself does not know of it yet").isEmpty();
    seenByB.endIncarnation();
    seenByB.beginIncarnation();
    timers.advance(A_WHILE);
    assertThat(atB.taken).containsExactly("for the next life");
  }

  @Test
  void shouldNotSendToANodeThatIsStarting() {
    seenByA.setState(B, Member.State.STARTING);
    assertThat(streams.find("b")).isNull();
    assertThat(streams.all()).isEmpty();
    seenByA.setUp(B, 1);
    assertThat(streams.find("b")).isNotNull();
  }

  /** Events of the ranges it leads must reach the clients of other nodes. */
  @Test
  void shouldSendWhileThisNodeIsStarting() {
    seenByA.setState(A, Member.State.STARTING);
    offer("one");
    seenByA.setUp(A, 1);
    offer("two");
    timers.advance(A_WHILE);
    assertThat(atB.taken).containsExactly("one", "two");
  }

  @Test
  void shouldStartANewStreamWithTheNextIncarnationOfThisNode() {
    offer("1");
    peers.cut(A, B);
    offer("2");
    seenByA.endIncarnation();
    assertThat(outcomes).containsExactly(ItemOutcome.ACCEPTED, ItemOutcome.ABANDONED);
    seenByA.beginIncarnation();
    peers.heal();
    timers.advance(A_WHILE);
    offer("3");
    assertThat(atB.taken).containsExactly("1", "3");
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
    Objects.requireNonNull(late.find("b")).offer(item("second life", 0), outcomes::add);
    new StreamSender(1, peers.start(A), timers, SMALL, NodesObserver.NONE)
        .send(earlier, new StreamBatch(1, 1, 1, List.of(item("first life", 0))));
    timers.advance(A_WHILE);
    assertThat(atB.taken).containsExactly("second life");
  }

  @Test
  void shouldBeFullAboveItsCapacityAndDrainedBelowTheHighWaterMark() {
    peers.cut(A, B);
    List<String> drained = new ArrayList<>();
    for (int i = 0; !toB().isCongested(); i++) {
      offer("" + i);
    }
    toB().whenDrained(() -> drained.add("told"));
    assertThat(toB().isFull()).isFalse();
    while (!toB().isFull()) {
      offer("more");
    }
    assertThat(streams.status().bytes()).isBetween(1_001L, 1_200L);
    assertThat(streams.status().full()).isEqualTo(1);
    assertThat(drained).isEmpty();
    peers.heal();
    timers.advance(A_WHILE);
    assertThat(drained).containsExactly("told");
    assertThat(toB().isFull()).isFalse();
    assertThat(atB.taken).hasSize(outcomes.size());
  }

  @Test
  void shouldReplaceEntriesByARefetchWhenFull() {
    peers.cut(A, B);
    while (!toB().isFull()) {
      offer("x");
    }
    toB().append(appended("c"));
    toB().append(appended("c"));
    toB().append(appended("d"));
    peers.heal();
    timers.advance(A_WHILE);
    assertThat(atB.taken).doesNotContain("Appended").endsWith("look again c", "look again d");
    toB().append(appended("c"));
    assertThat(atB.taken).endsWith("Appended");
  }

  @Test
  void shouldReplaceEntriesThatExceedABatchByARefetch() {
    InboxEntry large =
        new InboxEntry(1, message("large", 200), Qos.AT_LEAST_ONCE, false, List.of());
    InboxHandle handle = appended("c").handle();
    toB().append(new NodeItem.Appended(handle, List.of(large)));
    toB().append(new NodeItem.Appended(handle, List.of(large, large)));
    assertThat(atB.taken).containsExactly("Appended", "look again c");
  }

  @Test
  void shouldRefetchAllInboxesWhenTooManySessionsLag() {
    peers.cut(A, B);
    while (!toB().isFull()) {
      offer("x");
    }
    List.of("c", "d", "e", "f").forEach(client -> toB().append(appended(client)));
    peers.heal();
    timers.advance(A_WHILE);
    assertThat(atB.taken).endsWith("x", "InboxesLed");
  }

  @Test
  void shouldReportWhenNoMoreNoticesFit() {
    peers.cut(A, B);
    assertThat(streams.canAcceptNotices()).isTrue();
    for (int i = 0; i < 2; i++) {
      toB().sendNotice(new NodeItem.Fenced(appended("c").handle()));
    }
    assertThat(streams.canAcceptNotices()).isFalse();
    peers.heal();
    timers.advance(A_WHILE);
    assertThat(streams.canAcceptNotices()).isTrue();
    assertThat(atB.taken).containsExactly("Fenced", "Fenced");
  }

  @Test
  void shouldHaveNoStreamsAfterClose() {
    peers.cut(A, B);
    offer("1");
    lifecycle.close();
    assertThat(outcomes).containsExactly(ItemOutcome.ABANDONED);
    seenByA.setUp(B, 2);
    assertThat(streams.all()).isEmpty();
  }

  @Test
  @Tag(Seeds.TAG)
  void shouldDeliverItemsOnceAndInOrderOverAnUnreliableNetwork() {
    Seeds.withDefaultCount(50).run(NodeStreamsTest::playBadNetwork);
  }

  private static void playBadNetwork(long seed) {
    Simulation simulation = new Simulation(seed);
    SimNetwork network = new SimNetwork(simulation);
    network.setFaults(SimNetwork.Faults.ROUGH);
    LoopbackPeers simulated = LoopbackPeers.simulated(network);
    NodeStreams streams = new NodeStreams();
    TestMembership seenByA = new TestMembership(A);
    seenByA.setUp(B, 1);
    seenByA.watch(
        new StreamLifecycle(
            A, streams, simulated.start(A), SimTimers.of(simulation), SMALL, NodesObserver.NONE));
    RecordingReceiver atB = new RecordingReceiver();
    new NodeReceiver(new TestMembership(B), atB, NodesObserver.NONE).start(simulated.start(B));
    NodeStream toB = Objects.requireNonNull(streams.find("b"));
    List<ItemOutcome> outcomes = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      toB.offer(item("" + i, 0), outcomes::add);
      simulation.run(simulation.between(0, 30));
    }
    network.setFaults(SimNetwork.Faults.NONE);
    simulation.run(60_000);
    assertThat(atB.taken)
        .as("seed %d", seed)
        .isEqualTo(IntStream.range(0, 300).mapToObj(String::valueOf).toList());
    assertThat(outcomes).as("seed %d", seed).hasSize(300).containsOnly(ItemOutcome.ACCEPTED);
  }
}
