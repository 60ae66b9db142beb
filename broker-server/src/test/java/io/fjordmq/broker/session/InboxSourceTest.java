package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxEntry;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the message source of a persistent session with an inbox store, without a session. */
@ExtendWith(LeakDetector.class)
class InboxSourceTest {
  private static final Qos QOS1 = Qos.AT_LEAST_ONCE;
  private static final int BUFFERED = 4;

  private final OutboundClient client =
      new OutboundClient(
          Settings.with(settings("maxInflight", 3), "inboxBufferMessages", BUFFERED));
  private Attachment attachment = client.attach();
  private OutboundPublishes outbound = new OutboundPublishes(client, attachment);

  private static SessionSettings settings(String name, int value) {
    return Settings.with(name, value);
  }

  @AfterEach
  void close() {
    client.inboxes.failure = null;
    client.tasks.resume();
    outbound.end();
    assertThat(client.observer.queued).hasValue(0);
    client.close();
  }

  private InboxSource source() {
    return Objects.requireNonNull(outbound.inbox());
  }

  /** Ends the connection and attaches the inbox to a new one. */
  private void reconnect() {
    outbound.end();
    long sentBelow = outbound.window().sentBelow();
    client.inboxes.detach(attachment.handle(), sentBelow, 60, false).join();
    attachment = client.attach();
    outbound = new OutboundPublishes(client, attachment);
    client.inboxes.calls.clear();
  }

  private void push(long... sequences) {
    for (long sequence : sequences) {
      InboxEntry entry = client.inboxes.get(OutboundClient.ID).entries.get(sequence);
      source().onAppended(List.of(Objects.requireNonNull(entry)));
    }
  }

  private void acknowledge(int... identifiers) {
    for (int identifier : identifiers) {
      outbound.onPubAck(identifier, 0);
    }
    outbound.onReadComplete();
  }

  private long countCalls(String prefix) {
    return client.inboxes.calls.stream().filter(call -> call.startsWith(prefix)).count();
  }

  @Test
  void shouldSendPushedEntriesWithoutReadingTheStore() {
    outbound.start();
    client.store(QOS1, "1", "2");
    push(1, 2);
    client.expect("PUBLISH q1 id=1 a 1", "PUBLISH q1 id=2 a 2");
    assertThat(countCalls("fetch")).isZero();
  }

  @Test
  void shouldReadEntriesThatAPushSkipped() {
    outbound.start();
    client.store(QOS1, "1", "2", "3");
    push(3);
    client.expect("PUBLISH q1 id=1 a 1", "PUBLISH q1 id=2 a 2", "PUBLISH q1 id=3 a 3");
    assertThat(client.inboxes.calls).contains("fetch 1");
  }

  @Test
  void shouldReadEntriesStoredBeforeTheClientConnected() {
    client.store(QOS1, "1", "2");
    reconnect();
    client.expect();
    outbound.start();
    client.expect("PUBLISH q1 id=1 a 1", "PUBLISH q1 id=2 a 2");
  }

  @Test
  void shouldBufferABoundedNumberOfEntriesAndFetchTheRestInOrder() {
    outbound.start();
    for (int i = 1; i <= 20; i++) {
      client.store(QOS1, "m" + i);
      push(i);
      assertThat(client.observer.queued.get()).isLessThanOrEqualTo(BUFFERED);
    }
    for (int i = 1; i <= 20; i++) {
      client.writer().flush();
      assertThat(client.wire.next()).isEqualTo("PUBLISH q1 id=" + i + " a m" + i);
      acknowledge(i);
      assertThat(client.observer.queued.get()).isLessThanOrEqualTo(BUFFERED);
    }
    client.expect();
    assertThat(client.inboxes.get(OutboundClient.ID).entries).isEmpty();
  }

  @Test
  void shouldIgnorePushedEntriesContainedInAPendingPage() {
    outbound.start();
    client.store(QOS1, "1", "2");
    client.tasks.hold();
    push(2);
    push(1, 2); // late and duplicated
    client.expect();
    client.tasks.releaseOne();
    client.expect("PUBLISH q1 id=1 a 1", "PUBLISH q1 id=2 a 2");
  }

  @Test
  void shouldReadUntilNothingIsLeftAfterALostPush() {
    outbound.start();
    client.store(QOS1, "1", "2");
    client.tasks.hold();
    CompletableFuture<?> page = source().refetch();
    assertThat(page).isNotDone();
    client.tasks.resume();
    client.tasks.releaseOne();
    assertThat(page).isCompleted();
    client.expect("PUBLISH q1 id=1 a 1", "PUBLISH q1 id=2 a 2");
    assertThat(countCalls("fetch")).as("one page, and an empty one").isEqualTo(2);
    outbound.pump();
    assertThat(countCalls("fetch")).isEqualTo(2);
  }

  @Test
  void shouldKeepOneCommitInFlight() {
    outbound.start();
    client.store(QOS1, "1", "2", "3");
    push(1, 2, 3);
    AtomicInteger emptied = new AtomicInteger();
    source().setEntriesRemovedCallback(emptied::incrementAndGet);
    client.tasks.hold();
    acknowledge(1);
    acknowledge(3);
    acknowledge(2);
    assertThat(client.tasks.waiting()).isOne();
    assertThat(emptied).hasValue(0);
    client.tasks.resume();
    client.tasks.releaseOne();
    assertThat(client.inboxes.calls).containsSequence("commit 2 []", "commit 4 []");
    assertThat(emptied).hasValue(2);
    client.expect("PUBLISH q1 id=1 a 1", "PUBLISH q1 id=2 a 2", "PUBLISH q1 id=3 a 3");
  }

  @Test
  void shouldCommitAcknowledgementsBeyondAGap() {
    outbound.start();
    client.store(QOS1, "1", "2", "3");
    push(1, 2, 3);
    acknowledge(3);
    assertThat(client.inboxes.calls).contains("commit 1 [3]");
    outbound.onReadComplete();
    assertThat(countCalls("commit")).isOne();
  }

  @Test
  void shouldReleaseAfterThePubrecIsRecorded() {
    outbound.start();
    client.store(Qos.EXACTLY_ONCE, "1");
    push(1);
    client.expect("PUBLISH q2 id=1 a 1");
    client.tasks.hold();
    outbound.onPubRec(1, 0);
    client.expect();
    client.tasks.releaseOne();
    client.expect("PUBREL 1");
    assertThat(client.inboxes.get(OutboundClient.ID).released).containsExactly(1L);
  }

  @Test
  void shouldSendPubrelsInTheOrderOfThePubrecs() {
    outbound.start();
    client.store(Qos.EXACTLY_ONCE, "1", "2", "3");
    push(1, 2, 3);
    client.expect("PUBLISH q2 id=1 a 1", "PUBLISH q2 id=2 a 2", "PUBLISH q2 id=3 a 3");
    client.tasks.hold();
    outbound.onPubRec(2, 0);
    outbound.onPubRec(1, 0);
    client.tasks.resume();
    outbound.onPubRec(3, 0); // recorded first
    client.expect();
    client.tasks.releaseOne();
    client.expect("PUBREL 2");
    client.tasks.releaseOne();
    client.expect("PUBREL 1", "PUBREL 3");
  }

  @Test
  void shouldContinueWhereAnEarlierConnectionStopped() {
    outbound.start();
    client.store(Qos.EXACTLY_ONCE, "1", "2");
    client.store(QOS1, "3");
    push(1, 2, 3);
    outbound.onPubRec(2, 0);
    acknowledge(3);
    client.expect("PUBLISH q2 id=1 a 1", "PUBLISH q2 id=2 a 2", "PUBLISH q1 id=3 a 3", "PUBREL 2");
    reconnect();
    outbound.start();
    client.expect("PUBREL 2", "PUBLISH q2 dup id=1 a 1");
    outbound.onPubComp(2);
    outbound.onPubRec(1, 0);
    outbound.onPubComp(1);
    outbound.onReadComplete();
    assertThat(client.inboxes.calls).contains("commit 4 []");
  }

  @Test
  void shouldSettleExpiredMessages() {
    client.inboxes.append(OutboundClient.ID, OutboundClient.message(QOS1, "old", 2_000));
    client.inboxes.append(OutboundClient.ID, OutboundClient.message(QOS1, "new", Message.NEVER));
    client.now = 2_000;
    outbound.start();
    push(1, 2);
    client.expect("PUBLISH q1 id=2 a new");
    acknowledge(2);
    assertThat(client.inboxes.calls).contains("commit 3 []");
  }

  @Test
  void shouldEndTheSessionIfTheStoreFails() {
    outbound.start();
    client.store(QOS1, "1", "2");
    client.inboxes.failure = new IllegalStateException("no majority");
    push(2);
    assertThat(client.failures).containsExactly(CloseReason.SERVER_UNAVAILABLE);
  }

  @Test
  void shouldEndTheSessionIfAnotherConnectionOwnsTheInbox() {
    outbound.start();
    client.store(QOS1, "1");
    push(1);
    client.attach();
    acknowledge(1);
    assertThat(client.failures).containsExactly(CloseReason.SESSION_TAKEN_OVER);
    client.expect("PUBLISH q1 id=1 a 1");
  }

  @Test
  void shouldCommitTheLastAcknowledgementsWhenTheConnectionEnds() {
    outbound.start();
    client.store(QOS1, "1", "2");
    push(1, 2);
    client.tasks.hold();
    acknowledge(1);
    outbound.onPubAck(2, 0);
    client.ended = true;
    outbound.end();
    client.tasks.resume();
    client.tasks.releaseOne();
    client.tasks.releaseOne();
    assertThat(client.inboxes.get(OutboundClient.ID).entries).isEmpty();
  }

  @Test
  void shouldNotReadRetainedMessagesWhileEntriesRemainInTheStore() {
    outbound.start();
    assertThat(source().canAcceptPage()).isTrue();
    for (int i = 1; i <= 8; i++) {
      client.store(QOS1, "m" + i);
      push(i);
    }
    assertThat(source().canAcceptPage()).isFalse();
    acknowledge(1, 2, 3);
    acknowledge(4, 5, 6);
    assertThat(source().canAcceptPage()).isTrue();
  }
}
