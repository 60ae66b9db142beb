package io.fjordmq.inbox.client;

import static io.fjordmq.inbox.client.TestInboxes.ID;
import static io.fjordmq.inbox.client.TestInboxes.settings;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.inbox.DropReasons;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.TrimUndelivered;
import io.fjordmq.inbox.UndeliveredShareMessage;
import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: undelivered share messages outlive their session, within limits, until other members have
 * received them.
 */
class ShareRedistributionTest {
  private static final String SHARE = "g/a/+";

  private final TestInboxes inboxes = new TestInboxes(settings(InboxLimits.DEFAULT));

  @AfterEach
  void close() {
    inboxes.close();
  }

  private void insert(InboxHandle handle, String payload, Qos qos) {
    insert(handle, inboxes.message(payload), qos, SHARE);
  }

  private void insert(InboxHandle handle, Message message, Qos qos, String share) {
    InboxTarget target =
        new InboxTarget(handle.id(), handle.incarnation(), qos, false, List.of(), share);
    assertThat(inboxes.store().insert(message, List.of(target), null).join())
        .containsExactly(InboxStore.InsertOutcome.STORED);
  }

  private UndeliveredShareMessage.Page processUndelivered(
      InboxHandle handle, int max, Long... given) {
    return inboxes.store().processUndelivered(ID, handle.incarnation(), List.of(given), max).join();
  }

  private static List<String> texts(UndeliveredShareMessage.Page page) {
    return page.messages().stream()
        .map(left -> left.sequence() + ":" + new String(left.message().payload(), UTF_8))
        .toList();
  }

  @Test
  void shouldOutliveTheSessionUntilOtherMembersHaveReceivedThem() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "one", Qos.AT_LEAST_ONCE);
    inboxes.insert(handle, "of its own");
    insert(handle, "two", Qos.AT_LEAST_ONCE);
    inboxes.detach(handle, 4, 10, true);
    inboxes.advanceAndSweep(Duration.ofSeconds(10));

    assertThat(inboxes.listener.endedCalls).hasSize(1);
    assertThat(inboxes.listener.undeliveredIncarnations).containsExactly(handle.incarnation());
    UndeliveredShareMessage.Page first = processUndelivered(handle, 1);
    assertThat(texts(first)).containsExactly("1:one");
    assertThat(first.messages().get(0).share()).isEqualTo(SHARE);
    assertThat(texts(processUndelivered(handle, 10)))
        .as("repeated")
        .containsExactly("1:one", "3:two");
    assertThat(texts(processUndelivered(handle, 10, 1L))).containsExactly("3:two");
    assertThat(processUndelivered(handle, 10, 3L))
        .isEqualTo(new UndeliveredShareMessage.Page(List.of(), true));

    assertThat(inboxes.dropped).isEqualTo(Map.of(DropReasons.SESSION_ENDED, 1L));
    assertThat(processUndelivered(handle, 10).complete()).as("nothing remains").isTrue();
    inboxes.advanceAndSweep(Duration.ofSeconds(30));
    assertThat(inboxes.listener.undeliveredIncarnations).hasSize(1);
    assertThat(inboxes.rows()).isEmpty();
  }

  @Test
  void shouldBeAnnouncedAgainEvenAfterACrash() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "m", Qos.AT_LEAST_ONCE);
    inboxes.detach(handle, 1, 0, true);
    assertThat(inboxes.listener.undeliveredIncarnations).hasSize(1);
    inboxes.crash();
    inboxes.advanceAndSweep(Duration.ofSeconds(9));
    assertThat(inboxes.listener.undeliveredIncarnations).hasSize(1);
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    inboxes.advanceAndSweep(Duration.ofSeconds(10));
    assertThat(inboxes.listener.undeliveredIncarnations).hasSize(3);
    assertThat(texts(processUndelivered(handle, 10))).containsExactly("1:m");
  }

  @Test
  void shouldOutliveACleanStart() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "m", Qos.AT_LEAST_ONCE);
    InboxHandle next = inboxes.attach(ID, true, 100, null).handle();
    insert(next, "n", Qos.AT_LEAST_ONCE);
    assertThat(inboxes.listener.undeliveredIncarnations).containsExactly(handle.incarnation());
    assertThat(texts(processUndelivered(handle, 10))).containsExactly("1:m");
    assertThat(processUndelivered(handle, 10, 1L).complete()).isTrue();
    assertThat(inboxes.fetchAll(next)).as("the new session's").containsExactly("1:n");
  }

  @Test
  void shouldOutliveADiscardedSession() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "m", Qos.AT_LEAST_ONCE);
    inboxes.store().discard(ID).join();
    assertThat(texts(processUndelivered(handle, 10))).containsExactly("1:m");
  }

  @Test
  void shouldNotRedistributeSentQos2OrAcknowledgedMessages() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "sent", Qos.EXACTLY_ONCE);
    insert(handle, "received", Qos.EXACTLY_ONCE);
    insert(handle, "acknowledged", Qos.AT_LEAST_ONCE);
    insert(handle, "sent with QoS 1", Qos.AT_LEAST_ONCE);
    insert(handle, "not sent", Qos.EXACTLY_ONCE);
    inboxes.store().release(handle, 2).join();
    inboxes.commit(handle, 1, 3L);
    inboxes.detach(handle, 5, 0, true);
    assertThat(texts(processUndelivered(handle, 10)))
        .containsExactly("4:sent with QoS 1", "5:not sent");
    assertThat(inboxes.dropped).isEqualTo(Map.of(DropReasons.SESSION_ENDED, 1L));
  }

  @Test
  void shouldNotRedistributeQos2MessagesThatALostConnectionMayHaveSent() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "m", Qos.EXACTLY_ONCE);
    inboxes.store().discard(ID).join();
    assertThat(processUndelivered(handle, 10))
        .isEqualTo(new UndeliveredShareMessage.Page(List.of(), true));
    assertThat(inboxes.dropped).isEqualTo(Map.of(DropReasons.SESSION_ENDED, 1L));
  }

  @Test
  void shouldDropExpiredMessages() {
    InboxHandle handle = inboxes.attach(ID).handle();
    Message message = inboxes.message("m", inboxes.nowMillis() + 5_000);
    insert(handle, message, Qos.AT_LEAST_ONCE, SHARE);
    inboxes.detach(handle, 1, 0, true);
    inboxes.advanceAndSweep(Duration.ofSeconds(6));
    assertThat(processUndelivered(handle, 10))
        .isEqualTo(new UndeliveredShareMessage.Page(List.of(), true));
    assertThat(inboxes.dropped).isEqualTo(Map.of(DropReasons.EXPIRED, 1L));
  }

  @Test
  void shouldReportWhetherThisNodeLeadsItsRange() {
    assertThat(inboxes.store().isLocalLeader(ID)).isTrue();
    Set<RangeId> queriedRanges = new HashSet<>();
    inboxes.leading =
        range -> {
          queriedRanges.add(range);
          return false;
        };
    assertThat(inboxes.store().isLocalLeader(ID)).isFalse();
    assertThat(queriedRanges).as("the range of the inbox").hasSize(1);
    inboxes.leading = range -> !queriedRanges.contains(range);
    assertThat(inboxes.store().isLocalLeader(ID)).isFalse();
  }

  /** A log entry processes a limited number of messages, however many there are. */
  @Test
  void shouldProcessManyMessagesInSteps() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "first", Qos.AT_LEAST_ONCE);
    for (int i = 0; i < 2 * TrimUndelivered.MAX_ROWS; i++) {
      inboxes.insert(handle, "own");
    }
    insert(handle, "last", Qos.AT_LEAST_ONCE);
    inboxes.detach(handle, 1, 0, true);
    assertThat(inboxes.dropped).as("counted when they are processed").isEmpty();
    List<String> found = new ArrayList<>();
    UndeliveredShareMessage.Page page = processUndelivered(handle, 10);
    int steps = 1;
    for (; !page.complete(); steps++) {
      found.addAll(texts(page));
      Long[] given =
          page.messages().stream().map(UndeliveredShareMessage::sequence).toArray(Long[]::new);
      page = processUndelivered(handle, 10, given);
    }
    assertThat(steps).isEqualTo(4);
    assertThat(found).containsExactly("1:first", (2 * TrimUndelivered.MAX_ROWS + 2) + ":last");
    assertThat(inboxes.dropped)
        .isEqualTo(Map.of(DropReasons.SESSION_ENDED, 2L * TrimUndelivered.MAX_ROWS));
  }

  @Test
  void shouldKeepNothingWithoutShareMessages() {
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.insert(handle, "own");
    insert(inboxes.attach(new InboxId("t", "x")).handle(), "other", Qos.AT_LEAST_ONCE);
    inboxes.store().discard(new InboxId("t", "x")).join();
    inboxes.listener.undeliveredIncarnations.clear();
    inboxes.detach(handle, 1, 0, true);
    assertThat(inboxes.listener.undeliveredIncarnations).isEmpty();
    assertThat(inboxes.dropped).isEqualTo(Map.of(DropReasons.SESSION_ENDED, 1L));
  }

  @Test
  void shouldKeepNothingWhenEverythingIsAcknowledged() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "m", Qos.AT_LEAST_ONCE);
    inboxes.commit(handle, 2);
    inboxes.detach(handle, 2, 0, true);
    assertThat(inboxes.listener.undeliveredIncarnations).isEmpty();
    assertThat(inboxes.rows()).isEmpty();
  }
}
