package io.fjordmq.inbox;

import static io.fjordmq.inbox.TestInboxes.ID;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
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

  private List<String> due() {
    return inboxes.listener.wills.stream()
        .map(call -> new String(call.will().message().payload(), UTF_8))
        .toList();
  }

  @Test
  void shouldBeDueAtOnceWithoutDelay() {
    InboxHandle handle = attachWithWill(0);
    inboxes.store().detach(handle, 1, 100, true).join();
    assertThat(due()).containsExactly("w0");
    RecordingListener.DueWillCall call = inboxes.listener.wills.get(0);
    assertThat(call.incarnation()).isEqualTo(handle.incarnation());
    assertThat(call.epoch()).isEqualTo(handle.epoch());
    assertThat(call.publishId())
        .isEqualTo(PublishId.ofWill(ID, handle.incarnation(), handle.epoch(), handle.epoch()));
  }

  @Test
  void shouldHaveItsPlaceAfterItsConnectionAndBeforeTheNext() {
    Attachment first = inboxes.attach(ID, false, 100, inboxes.will("taken over", 0));
    Attachment second = inboxes.attach(ID, false, 100, inboxes.will("lost", 0));
    inboxes.store().detach(second.handle(), 1, 100, true).join();
    Attachment third = inboxes.attach(ID, false, 100, inboxes.will("discarded", 0));
    DiscardResult fourth = inboxes.store().discard(ID).join();
    assertThat(due()).containsExactly("taken over", "lost", "discarded");
    List<ConnectOrder> places =
        inboxes.listener.wills.stream().map(RecordingListener.DueWillCall::since).toList();
    assertThat(places.get(0)).isBetween(first.connectOrder(), second.connectOrder());
    assertThat(places.get(0)).isLessThan(second.connectOrder());
    assertThat(places.get(1))
        .isGreaterThanOrEqualTo(second.connectOrder())
        .isLessThan(third.connectOrder());
    assertThat(places.get(2))
        .isGreaterThanOrEqualTo(third.connectOrder())
        .isLessThan(fourth.connectOrder());
    inboxes.crash();
    inboxes.pass(Duration.ofSeconds(10));
    assertThat(inboxes.listener.wills.subList(3, 6))
        .extracting(RecordingListener.DueWillCall::since)
        .as("said again, it has the same place")
        .containsExactlyInAnyOrderElementsOf(places);
  }

  @Test
  void shouldNotBeDueAfterANormalDisconnect() {
    inboxes.store().detach(attachWithWill(0), 1, 100, false).join();
    inboxes.store().detach(attachWithWill(5), 1, 100, false).join();
    inboxes.pass(Duration.ofSeconds(200));
    assertThat(due()).isEmpty();
  }

  @Test
  void shouldBeDueWhenTheDelayHasPassed() {
    inboxes.store().detach(attachWithWill(30), 1, 100, true).join();
    inboxes.pass(Duration.ofSeconds(29));
    assertThat(due()).isEmpty();
    inboxes.pass(Duration.ofSeconds(1));
    assertThat(due()).containsExactly("w30");
    assertThat(inboxes.attach(ID).sessionPresent()).isTrue();
  }

  @Test
  void shouldBeCancelledWhenTheClientComesBackWithinTheDelay() {
    inboxes.store().detach(attachWithWill(30), 1, 100, true).join();
    inboxes.pass(Duration.ofSeconds(29));
    inboxes.attach(ID);
    inboxes.pass(Duration.ofSeconds(100));
    assertThat(due()).isEmpty();
  }

  @Test
  void shouldBeDueWhenTheSessionEndsBeforeTheDelay() {
    inboxes.store().detach(attachWithWill(30), 1, 10, true).join();
    inboxes.pass(Duration.ofSeconds(10));
    assertThat(due()).containsExactly("w30");
    assertThat(inboxes.listener.ended).hasSize(1);
  }

  @Test
  void shouldBeDueAtOnceWhenACleanStartEndsTheSession() {
    inboxes.store().detach(attachWithWill(30), 1, 100, true).join();
    inboxes.attach(ID, true, 100, null);
    assertThat(due()).containsExactly("w30");
  }

  @Test
  void shouldBeDueAtOnceWhenTheSessionIsDiscarded() {
    attachWithWill(30);
    inboxes.store().discard(ID).join();
    assertThat(due()).containsExactly("w30");
  }

  @Test
  void shouldBeDueAtATakeoverOnlyWithoutDelay() {
    attachWithWill(0);
    attachWithWill(30);
    assertThat(due()).containsExactly("w0");
    inboxes.attach(ID);
    inboxes.pass(Duration.ofSeconds(100));
    assertThat(due()).containsOnly("w0");
  }

  /** The node of the connection has gone, or has sent the client away: that says nothing of it. */
  @Test
  void shouldWaitForTheClientToComeBackWhenItsNodeHasGone() {
    inboxes.store().detachWithGrace(attachWithWill(0), 1, 100).join();
    inboxes.pass(Duration.ofSeconds(9));
    inboxes.store().detachWithGrace(attachWithWill(2), 1, 100).join();
    inboxes.pass(Duration.ofSeconds(9));
    assertThat(due()).isEmpty();
    inboxes.pass(Duration.ofSeconds(1));
    assertThat(due()).as("it did not come back").containsExactly("w2");
    inboxes.store().detachWithGrace(attachWithWill(30), 1, 100).join();
    inboxes.pass(Duration.ofSeconds(29));
    assertThat(due()).as("its own delay is longer").containsOnly("w2");
    inboxes.pass(Duration.ofSeconds(1));
    assertThat(due()).contains("w30");
  }

  @Test
  void shouldKeepTheWillOfATransientSessionForTheGraceOfItsNode() {
    giveUpTransient();
    inboxes.pass(Duration.ofSeconds(9));
    assertThat(inboxes.attach(ID).sessionPresent()).as("it ended with its connection").isFalse();
    inboxes.pass(Duration.ofSeconds(60));
    assertThat(due()).isEmpty();
    inboxes.store().discard(ID).join();
    giveUpTransient();
    inboxes.store().discard(ID).join();
    giveUpTransient();
    inboxes.attach(ID, true, 0, null);
    inboxes.pass(Duration.ofSeconds(60));
    assertThat(due()).as("the client was back").isEmpty();
    inboxes.store().discard(ID).join();
    giveUpTransient();
    inboxes.pass(Duration.ofSeconds(10));
    assertThat(due()).containsExactly("passing");
    assertThat(inboxes.listener.ended).isNotEmpty();
  }

  private void giveUpTransient() {
    InboxHandle handle = inboxes.attach(ID, true, 0, inboxes.will("passing", 0)).handle();
    inboxes.store().detachWithGrace(handle, 1, 0).join();
  }

  @Test
  void shouldBeAnnouncedAgainUntilItIsPublishedEvenAfterACrash() {
    InboxHandle handle = attachWithWill(0);
    inboxes.store().detach(handle, 1, 0, true).join();
    assertThat(inboxes.listener.ended).hasSize(1);
    inboxes.crash();
    inboxes.pass(Duration.ofSeconds(9));
    assertThat(due()).hasSize(1);
    inboxes.pass(Duration.ofSeconds(1));
    inboxes.pass(Duration.ofSeconds(10));
    assertThat(due()).containsExactly("w0", "w0", "w0");
    assertThat(inboxes.listener.wills)
        .extracting(RecordingListener.DueWillCall::publishId)
        .containsOnly(PublishId.ofWill(ID, handle.incarnation(), handle.epoch(), handle.epoch()));
    inboxes.store().willPublished(ID, handle.incarnation(), handle.epoch()).join();
    inboxes.pass(Duration.ofSeconds(30));
    assertThat(due()).hasSize(3);
    assertThat(inboxes.rows()).isEmpty();
  }

  @Test
  void shouldStayDueWhenTheClientComesBackTooLate() {
    inboxes.store().detach(attachWithWill(0), 1, 100, true).join();
    attachWithWill(60);
    inboxes.pass(Duration.ofSeconds(10));
    assertThat(due()).containsExactly("w0", "w0");
  }

  @Test
  void shouldStillBePublishedWhenALaterWillOfTheSessionIsPublishedFirst() {
    inboxes.store().detach(attachWithWill(0), 1, 100, true).join();
    inboxes.store().detach(attachWithWill(0), 1, 100, true).join();
    PublishId first = inboxes.listener.wills.get(0).publishId();
    PublishId second = inboxes.listener.wills.get(1).publishId();

    InboxHandle reader = inboxes.attach(new InboxId("t", "reader")).handle();
    Message will = inboxes.message("w0");
    assertThat(inboxes.insert(reader, will, second)).isEqualTo(InsertOutcome.STORED);
    assertThat(inboxes.insert(reader, will, first)).isEqualTo(InsertOutcome.STORED);
    assertThat(inboxes.insert(reader, will, first)).isEqualTo(InsertOutcome.DUPLICATE);
  }

  @Test
  void shouldNotBeWaitedForWhenItIsPublished() {
    InboxHandle handle = attachWithWill(0);
    inboxes.store().detach(handle, 1, 100, true).join();
    inboxes.store().willPublished(ID, handle.incarnation(), handle.epoch()).join();
    inboxes.store().detach(attachWithWill(0), 1, 100, true).join();
    PublishId second = inboxes.listener.wills.get(1).publishId();
    assertThat(second.lowest()).isEqualTo(second.sequence());
  }
}
