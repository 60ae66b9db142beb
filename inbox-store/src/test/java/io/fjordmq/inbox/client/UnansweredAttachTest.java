package io.fjordmq.inbox.client;

import static io.fjordmq.inbox.client.TestInboxes.ID;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.range.RangeException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: an attach of unknown outcome leaves the session as if its connection had broken
 * immediately, and affects no other connection.
 */
class UnansweredAttachTest {
  private static final InboxId OTHER = new InboxId("t", "d");

  private final TestInboxes inboxes = new TestInboxes();

  @AfterEach
  void close() {
    inboxes.close();
  }

  private void attachWithLostResponse(String will) {
    inboxes.lostResponses.set(1);
    attachWithoutEffect(will);
  }

  private void attachWithoutEffect(String will) {
    assertThatThrownBy(() -> inboxes.attach(ID, false, 100, inboxes.will(will, 10)))
        .hasCauseInstanceOf(RangeException.class);
  }

  private List<String> dueWills() {
    return inboxes.listener.dueWillCalls.stream()
        .map(call -> new String(call.will().message().payload(), UTF_8))
        .toList();
  }

  @Test
  void shouldPublishTheWillAndEndTheSessionAsForALostConnection() {
    InboxHandle before = inboxes.attach(ID, false, 100, inboxes.will("before", 30)).handle();
    inboxes.detach(before, 1, 100, true);
    attachWithLostResponse("last");
    inboxes.advanceAndSweep(Duration.ofSeconds(5));
    assertThat(inboxes.store().status().attached()).isZero();
    assertThat(dueWills()).isEmpty();
    inboxes.advanceAndSweep(Duration.ofSeconds(10));
    assertThat(dueWills()).containsExactly("last");
    inboxes.advanceAndSweep(Duration.ofSeconds(90));
    assertThat(inboxes.listener.endedCalls).hasSize(1);
  }

  @Test
  void shouldRetryUntilTheRangeResponds() {
    attachWithLostResponse("last");
    inboxes.lostCommands.set(2);
    inboxes.advanceWithoutSweep(Duration.ofSeconds(5));
    inboxes.advanceWithoutSweep(Duration.ofSeconds(5));
    assertThat(inboxes.lostCommands).hasValue(0);
    assertThat(inboxes.store().status().attached()).isOne();
    inboxes.advanceWithoutSweep(Duration.ofSeconds(5));
    assertThat(inboxes.store().status().attached()).isZero();
  }

  @Test
  void shouldTreatNoEntriesAsSent() {
    InboxHandle before = inboxes.attach(ID).handle();
    inboxes.insert(before, "m1");
    inboxes.detach(before);
    attachWithLostResponse("last");
    inboxes.advanceAndSweep(Duration.ofSeconds(5));
    assertThat(inboxes.attach(ID).sentBelow()).isOne();
  }

  @Test
  void shouldNotAffectALaterConnectionOfTheSameNode() {
    attachWithLostResponse("first");
    inboxes.lostCommands.set(1);
    inboxes.advanceWithoutSweep(Duration.ofSeconds(5));
    InboxHandle later = inboxes.attach(ID).handle();
    inboxes.advanceAndSweep(Duration.ofMinutes(1));
    assertThat(inboxes.insert(later, "m")).isEqualTo(InboxStore.InsertOutcome.STORED);
    assertThat(inboxes.fetchAll(later)).containsExactly("1:m");
  }

  @Test
  void shouldNotAffectAConnectionOfAnotherNode() {
    attachWithLostResponse("first");
    AttachRequest elsewhere = new AttachRequest(false, "n2", 1, 100, null);
    InboxHandle later = inboxes.anotherStore().attach(ID, elsewhere).join().handle();
    inboxes.advanceAndSweep(Duration.ofMinutes(1));
    assertThat(inboxes.fetchAll(later)).isEmpty();
    assertThat(inboxes.store().status().attached()).isOne();
  }

  @Test
  void shouldAbandonTheFirstAttachIfTheNextIsRejected() {
    attachWithLostResponse("first");
    inboxes.refusals.set(1);
    attachWithoutEffect("refused");
    inboxes.advanceAndSweep(Duration.ofSeconds(5));
    assertThat(inboxes.store().status().attached()).isZero();
    inboxes.advanceAndSweep(Duration.ofSeconds(10));
    assertThat(dueWills()).containsExactly("first");
  }

  @Test
  void shouldHaveNoPendingDetachForAnAttachThatWasNotSent() {
    inboxes.refusals.set(1);
    attachWithoutEffect("refused");
    inboxes.lostCommands.set(1);
    inboxes.advanceAndSweep(Duration.ofMinutes(1));
    assertThat(inboxes.lostCommands).hasValue(1);
  }

  @Test
  void shouldDetachThePreviousConnectionFirstIfTheAttachWasNotApplied() {
    InboxHandle before = inboxes.attach(ID, false, 100, inboxes.will("canceled", 0)).handle();
    inboxes.lostCommands.set(2);
    assertThatThrownBy(() -> inboxes.detach(before, 1, 7, false))
        .hasCauseInstanceOf(RangeException.class);
    attachWithoutEffect("never applied");
    inboxes.advanceAndSweep(Duration.ofSeconds(5));
    inboxes.advanceAndSweep(Duration.ofSeconds(5));
    assertThat(inboxes.store().status().attached()).isZero();
    inboxes.advanceAndSweep(Duration.ofSeconds(7));
    assertThat(dueWills()).as("it had disconnected normally").isEmpty();
    assertThat(inboxes.listener.endedCalls).hasSize(1);
  }

  @Test
  void shouldNotDelayOtherDetaches() {
    attachWithLostResponse("first");
    inboxes.lostResponses.set(1);
    assertThatThrownBy(() -> inboxes.attach(OTHER)).hasCauseInstanceOf(RangeException.class);
    inboxes.lostCommands.set(1);
    inboxes.advanceAndSweep(Duration.ofSeconds(5));
    assertThat(inboxes.store().status().attached()).isOne();
    inboxes.advanceAndSweep(Duration.ofSeconds(5));
    assertThat(inboxes.store().status().attached()).isZero();
  }
}
