package io.fjordmq.inbox.client;

import static io.fjordmq.inbox.client.TestInboxes.ID;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.DiscardResult;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.Owner;
import io.fjordmq.inbox.PublishId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When wills are due (MQTT 5.0 §3.1.2.5, §3.1.3.2.2). */
class InboxWillsTest {
  private final TestInboxes inboxes = new TestInboxes();

  @AfterEach
  void close() {
    inboxes.close();
  }

  private InboxHandle attachWithWill(long delaySeconds) {
    return inboxes.attach(ID, false, 100, inboxes.will("w" + delaySeconds, delaySeconds)).handle();
  }

  private List<String> dueWills() {
    return inboxes.listener.dueWillCalls.stream()
        .map(call -> new String(call.will().message().payload(), UTF_8))
        .toList();
  }

  @Test
  void shouldBeDueAtOnceWithoutDelay() {
    InboxHandle handle = attachWithWill(0);
    inboxes.store().detach(handle, 1, 100, true).join();
    assertThat(dueWills()).containsExactly("w0");
    RecordingListener.DueWillCall call = inboxes.listener.dueWillCalls.get(0);
    assertThat(call.incarnation()).isEqualTo(handle.incarnation());
    assertThat(call.epoch()).isEqualTo(handle.epoch());
    assertThat(call.publishId())
        .isEqualTo(PublishId.ofWill(ID, handle.incarnation(), handle.epoch(), handle.epoch()));
  }

  @Test
  void shouldBeOrderedAfterItsConnectionAndBeforeTheNextOne() {
    Attachment first = inboxes.attach(ID, false, 100, inboxes.will("taken over", 0));
    Attachment second = inboxes.attach(ID, false, 100, inboxes.will("lost", 0));
    inboxes.store().detach(second.handle(), 1, 100, true).join();
    Attachment third = inboxes.attach(ID, false, 100, inboxes.will("discarded", 0));
    DiscardResult fourth = inboxes.store().discard(ID).join();
    assertThat(dueWills()).containsExactly("taken over", "lost", "discarded");
    List<ConnectOrder> connectOrders =
        inboxes.listener.dueWillCalls.stream().map(RecordingListener.DueWillCall::since).toList();
    assertThat(connectOrders.get(0)).isBetween(first.connectOrder(), second.connectOrder());
    assertThat(connectOrders.get(0)).isLessThan(second.connectOrder());
    assertThat(connectOrders.get(1))
        .isGreaterThanOrEqualTo(second.connectOrder())
        .isLessThan(third.connectOrder());
    assertThat(connectOrders.get(2))
        .isGreaterThanOrEqualTo(third.connectOrder())
        .isLessThan(fourth.connectOrder());
    inboxes.crash();
    inboxes.advanceAndSweep(Duration.ofSeconds(10));
    assertThat(inboxes.listener.dueWillCalls.subList(3, 6))
        .extracting(RecordingListener.DueWillCall::since)
        .as("announced again with the same connect order")
        .containsExactlyInAnyOrderElementsOf(connectOrders);
  }

  @Test
  void shouldNotBeDueAfterANormalDisconnect() {
    inboxes.store().detach(attachWithWill(0), 1, 100, false).join();
    inboxes.store().detach(attachWithWill(5), 1, 100, false).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(200));
    assertThat(dueWills()).isEmpty();
  }

  @Test
  void shouldBeDueWhenTheDelayHasPassed() {
    inboxes.store().detach(attachWithWill(30), 1, 100, true).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(29));
    assertThat(dueWills()).isEmpty();
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    assertThat(dueWills()).containsExactly("w30");
    assertThat(inboxes.attach(ID).sessionPresent()).isTrue();
  }

  @Test
  void shouldBeCanceledWhenTheClientReconnectsWithinTheDelay() {
    inboxes.store().detach(attachWithWill(30), 1, 100, true).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(29));
    inboxes.attach(ID);
    inboxes.advanceAndSweep(Duration.ofSeconds(100));
    assertThat(dueWills()).isEmpty();
  }

  @Test
  void shouldBeDueWhenTheSessionEndsBeforeTheDelay() {
    inboxes.store().detach(attachWithWill(30), 1, 10, true).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(10));
    assertThat(dueWills()).containsExactly("w30");
    assertThat(inboxes.listener.endedCalls).hasSize(1);
  }

  @Test
  void shouldBeDueAtOnceWhenACleanStartEndsTheSession() {
    inboxes.store().detach(attachWithWill(30), 1, 100, true).join();
    inboxes.attach(ID, true, 100, null);
    assertThat(dueWills()).containsExactly("w30");
  }

  @Test
  void shouldBeDueAtOnceWhenTheSessionIsDiscarded() {
    attachWithWill(30);
    inboxes.store().discard(ID).join();
    assertThat(dueWills()).containsExactly("w30");
  }

  @Test
  void shouldBeDueAtATakeoverOnlyWithoutDelay() {
    attachWithWill(0);
    attachWithWill(30);
    assertThat(dueWills()).containsExactly("w0");
    inboxes.attach(ID);
    inboxes.advanceAndSweep(Duration.ofSeconds(100));
    assertThat(dueWills()).containsOnly("w0");
  }

  /**
   * The node of the connection has left service or has closed the connection itself; the client is
   * not at fault.
   */
  @Test
  void shouldWaitForTheGracePeriodWhenItsNodeLeavesService() {
    inboxes.store().detachWithGrace(attachWithWill(0), 1, 100).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(9));
    inboxes.store().detachWithGrace(attachWithWill(2), 1, 100).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(9));
    assertThat(dueWills()).isEmpty();
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    assertThat(dueWills()).as("the client did not reconnect").containsExactly("w2");
    inboxes.store().detachWithGrace(attachWithWill(30), 1, 100).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(29));
    assertThat(dueWills()).as("its own delay is longer").containsOnly("w2");
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    assertThat(dueWills()).contains("w30");
  }

  @Test
  void shouldKeepTheWillOfATransientSessionForTheGracePeriod() {
    detachTransient();
    inboxes.advanceAndSweep(Duration.ofSeconds(9));
    assertThat(inboxes.attach(ID).sessionPresent()).as("it ended with its connection").isFalse();
    inboxes.advanceAndSweep(Duration.ofSeconds(60));
    assertThat(dueWills()).isEmpty();
    inboxes.store().discard(ID).join();
    detachTransient();
    inboxes.store().discard(ID).join();
    detachTransient();
    inboxes.attach(ID, true, 0, null);
    inboxes.advanceAndSweep(Duration.ofSeconds(60));
    assertThat(dueWills()).as("the client has reconnected").isEmpty();
    inboxes.store().discard(ID).join();
    detachTransient();
    inboxes.advanceAndSweep(Duration.ofSeconds(10));
    assertThat(dueWills()).containsExactly("passing");
    assertThat(inboxes.listener.endedCalls).isNotEmpty();
  }

  private static final Owner NODE = new Owner("n1", TestInboxes.INCARNATION);

  private void detachAtClose(InboxHandle handle, long expirySeconds, long closesInSeconds) {
    inboxes
        .store()
        .detachAtClose(handle, 1, expirySeconds, Duration.ofSeconds(closesInSeconds))
        .join();
  }

  @Test
  void shouldWaitForItsConnectionToClose() {
    detachAtClose(attachWithWill(0), 100, 20);
    inboxes.advanceAndSweep(Duration.ofSeconds(29));
    detachAtClose(attachWithWill(15), 100, 20);
    inboxes.advanceAndSweep(Duration.ofSeconds(34));
    assertThat(dueWills()).isEmpty();
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    assertThat(dueWills()).containsExactly("w15");
  }

  /** The node that the others considered dead is back and still has the client's connection. */
  @Test
  void shouldRestartTheDelayWhenItsNodeIsBackWithTheConnection() {
    InboxHandle handle = attachWithWill(0);
    InboxHandle passing =
        inboxes.attach(new InboxId("t", "t"), true, 0, inboxes.will("passing", 0)).handle();
    inboxes.deadOwners.add(NODE);
    inboxes.advanceAndSweep(Duration.ZERO);
    inboxes.advanceAndSweep(Duration.ofSeconds(9));
    detachAtClose(handle, 100, 5);
    detachAtClose(passing, 0, 5);
    inboxes.advanceAndSweep(Duration.ofSeconds(14));
    assertThat(dueWills()).isEmpty();
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    assertThat(dueWills()).containsExactlyInAnyOrder("w0", "passing");
  }

  /** The node may be back before it notices that the connection broke in the meantime. */
  @Test
  void shouldNotRestartTheDelayIfTheConnectionWasLost() {
    InboxHandle handle = attachWithWill(0);
    inboxes.deadOwners.add(NODE);
    inboxes.advanceAndSweep(Duration.ZERO);
    inboxes.advanceAndSweep(Duration.ofSeconds(9));
    assertThat(inboxes.store().detachWithGrace(handle, 1, 100))
        .isCompletedExceptionally(); // fenced
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    assertThat(dueWills()).containsExactly("w0");
  }

  @Test
  void shouldStayDueIfItsNodeIsBackTooLate() {
    InboxHandle handle = attachWithWill(0);
    inboxes.deadOwners.add(NODE);
    inboxes.advanceAndSweep(Duration.ZERO);
    inboxes.advanceWithoutSweep(Duration.ofSeconds(10));
    detachAtClose(handle, 100, 5);
    assertThat(dueWills()).containsExactly("w0");
  }

  @Test
  void shouldStayCanceledIfTheClientReconnectedBeforeItsNodeIsBack() {
    InboxHandle handle = attachWithWill(0);
    inboxes.deadOwners.add(NODE);
    inboxes.advanceAndSweep(Duration.ZERO);
    inboxes.deadOwners.clear();
    inboxes.attach(ID);
    assertThat(inboxes.store().detachAtClose(handle, 1, 100, Duration.ofSeconds(5)))
        .isCompletedExceptionally(); // fenced
    inboxes.advanceAndSweep(Duration.ofSeconds(60));
    assertThat(dueWills()).isEmpty();
  }

  /** A session does not end before its connection is closed. */
  @Test
  void shouldStartTheSessionExpiryWhenItsConnectionCloses() {
    InboxHandle handle = inboxes.attach(ID, false, 10, null).handle();
    inboxes.deadOwners.add(NODE);
    inboxes.advanceAndSweep(Duration.ZERO);
    inboxes.advanceAndSweep(Duration.ofSeconds(9));
    detachAtClose(handle, 10, 20);
    inboxes.advanceAndSweep(Duration.ofSeconds(29));
    assertThat(inboxes.expired).hasValue(0);
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    assertThat(inboxes.expired).hasValue(1);
  }

  private void detachTransient() {
    InboxHandle handle = inboxes.attach(ID, true, 0, inboxes.will("passing", 0)).handle();
    inboxes.store().detachWithGrace(handle, 1, 0).join();
  }

  @Test
  void shouldBeAnnouncedAgainUntilItIsPublishedEvenAfterACrash() {
    InboxHandle handle = attachWithWill(0);
    inboxes.store().detach(handle, 1, 0, true).join();
    assertThat(inboxes.listener.endedCalls).hasSize(1);
    inboxes.crash();
    inboxes.advanceAndSweep(Duration.ofSeconds(9));
    assertThat(dueWills()).hasSize(1);
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    inboxes.advanceAndSweep(Duration.ofSeconds(10));
    assertThat(dueWills()).containsExactly("w0", "w0", "w0");
    assertThat(inboxes.listener.dueWillCalls)
        .extracting(RecordingListener.DueWillCall::publishId)
        .containsOnly(PublishId.ofWill(ID, handle.incarnation(), handle.epoch(), handle.epoch()));
    inboxes.store().confirmWill(ID, handle.incarnation(), handle.epoch()).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(30));
    assertThat(dueWills()).hasSize(3);
    assertThat(inboxes.rows()).isEmpty();
  }

  @Test
  void shouldStayDueIfTheClientReconnectsTooLate() {
    inboxes.store().detach(attachWithWill(0), 1, 100, true).join();
    attachWithWill(60);
    inboxes.advanceAndSweep(Duration.ofSeconds(10));
    assertThat(dueWills()).containsExactly("w0", "w0");
  }

  @Test
  void shouldStillBePublishedIfALaterWillIsPublishedFirst() {
    inboxes.store().detach(attachWithWill(0), 1, 100, true).join();
    inboxes.store().detach(attachWithWill(0), 1, 100, true).join();
    PublishId first = inboxes.listener.dueWillCalls.get(0).publishId();
    PublishId second = inboxes.listener.dueWillCalls.get(1).publishId();

    InboxHandle reader = inboxes.attach(new InboxId("t", "reader")).handle();
    Message will = inboxes.message("w0");
    assertThat(inboxes.insert(reader, will, second)).isEqualTo(InsertOutcome.STORED);
    assertThat(inboxes.insert(reader, will, first)).isEqualTo(InsertOutcome.STORED);
    assertThat(inboxes.insert(reader, will, first)).isEqualTo(InsertOutcome.DUPLICATE);
  }

  @Test
  void shouldNotCountAsPendingAfterItsPublication() {
    InboxHandle handle = attachWithWill(0);
    inboxes.store().detach(handle, 1, 100, true).join();
    inboxes.store().confirmWill(ID, handle.incarnation(), handle.epoch()).join();
    inboxes.store().detach(attachWithWill(0), 1, 100, true).join();
    PublishId second = inboxes.listener.dueWillCalls.get(1).publishId();
    assertThat(second.lowest()).isEqualTo(second.sequence());
  }
}
