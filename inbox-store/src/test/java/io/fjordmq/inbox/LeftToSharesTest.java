package io.fjordmq.inbox;

import static io.fjordmq.inbox.TestInboxes.ID;
import static io.fjordmq.inbox.TestInboxes.settings;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: what a session does not get of its shares outlives it, bounded, until others have it. */
class LeftToSharesTest {
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

  private LeftMessage.Page take(InboxHandle handle, int max, Long... given) {
    return inboxes.store().takeLeft(ID, handle.incarnation(), List.of(given), max).join();
  }

  private static List<String> texts(LeftMessage.Page page) {
    return page.messages().stream()
        .map(left -> left.sequence() + ":" + new String(left.message().payload(), UTF_8))
        .toList();
  }

  @Test
  void shouldOutliveItsSessionUntilOthersHaveIt() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "one", Qos.AT_LEAST_ONCE);
    inboxes.insert(handle, "of its own");
    insert(handle, "two", Qos.AT_LEAST_ONCE);
    inboxes.detach(handle, 4, 10, true);
    inboxes.pass(Duration.ofSeconds(10));

    assertThat(inboxes.listener.ended).hasSize(1);
    assertThat(inboxes.listener.left).containsExactly(handle.incarnation());
    LeftMessage.Page first = take(handle, 1);
    assertThat(texts(first)).containsExactly("1:one");
    assertThat(first.messages().get(0).share()).isEqualTo(SHARE);
    assertThat(texts(take(handle, 10))).as("asked again").containsExactly("1:one", "3:two");
    assertThat(texts(take(handle, 10, 1L))).containsExactly("3:two");
    assertThat(take(handle, 10, 3L)).isEqualTo(new LeftMessage.Page(List.of(), true));

    assertThat(inboxes.dropped).isEqualTo(Map.of(DropReasons.SESSION_ENDED, 1L));
    assertThat(take(handle, 10).over()).as("nothing is there any more").isTrue();
    inboxes.pass(Duration.ofSeconds(30));
    assertThat(inboxes.listener.left).hasSize(1);
    assertThat(inboxes.rows()).isEmpty();
  }

  @Test
  void shouldBeAnnouncedAgainEvenAfterACrash() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "m", Qos.AT_LEAST_ONCE);
    inboxes.detach(handle, 1, 0, true);
    assertThat(inboxes.listener.left).hasSize(1);
    inboxes.crash();
    inboxes.pass(Duration.ofSeconds(9));
    assertThat(inboxes.listener.left).hasSize(1);
    inboxes.pass(Duration.ofSeconds(1));
    inboxes.pass(Duration.ofSeconds(10));
    assertThat(inboxes.listener.left).hasSize(3);
    assertThat(texts(take(handle, 10))).containsExactly("1:m");
  }

  @Test
  void shouldBeLeftWhenAConnectionStartsClean() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "m", Qos.AT_LEAST_ONCE);
    InboxHandle next = inboxes.attach(ID, true, 100, null).handle();
    insert(next, "n", Qos.AT_LEAST_ONCE);
    assertThat(inboxes.listener.left).containsExactly(handle.incarnation());
    assertThat(texts(take(handle, 10))).containsExactly("1:m");
    assertThat(take(handle, 10, 1L).over()).isTrue();
    assertThat(inboxes.fetchAll(next)).as("the new session's").containsExactly("1:n");
  }

  @Test
  void shouldBeLeftWhenTheSessionIsDiscarded() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "m", Qos.AT_LEAST_ONCE);
    inboxes.store().discard(ID).join();
    assertThat(texts(take(handle, 10))).containsExactly("1:m");
  }

  @Test
  void shouldNotGiveAwayWhatWasSentWithQos2OrIsAcknowledged() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "sent", Qos.EXACTLY_ONCE);
    insert(handle, "received", Qos.EXACTLY_ONCE);
    insert(handle, "acknowledged", Qos.AT_LEAST_ONCE);
    insert(handle, "sent with QoS 1", Qos.AT_LEAST_ONCE);
    insert(handle, "not sent", Qos.EXACTLY_ONCE);
    inboxes.store().release(handle, 2).join();
    inboxes.commit(handle, 1, 3L);
    inboxes.detach(handle, 5, 0, true);
    assertThat(texts(take(handle, 10))).containsExactly("4:sent with QoS 1", "5:not sent");
    assertThat(inboxes.dropped).isEqualTo(Map.of(DropReasons.SESSION_ENDED, 1L));
  }

  @Test
  void shouldNotGiveAwayWhatALostConnectionMayHaveSentWithQos2() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "m", Qos.EXACTLY_ONCE);
    inboxes.store().discard(ID).join();
    assertThat(take(handle, 10)).isEqualTo(new LeftMessage.Page(List.of(), true));
    assertThat(inboxes.dropped).isEqualTo(Map.of(DropReasons.SESSION_ENDED, 1L));
  }

  @Test
  void shouldDropWhatExpires() {
    InboxHandle handle = inboxes.attach(ID).handle();
    Message message = inboxes.message("m", inboxes.nowMillis() + 5_000);
    insert(handle, message, Qos.AT_LEAST_ONCE, SHARE);
    inboxes.detach(handle, 1, 0, true);
    inboxes.pass(Duration.ofSeconds(6));
    assertThat(take(handle, 10)).isEqualTo(new LeftMessage.Page(List.of(), true));
    assertThat(inboxes.dropped).isEqualTo(Map.of(DropReasons.EXPIRED, 1L));
  }

  @Test
  void shouldKnowWhetherItsRangeIsLedHere() {
    assertThat(inboxes.store().isLedHere(ID)).isTrue();
    Set<RangeId> asked = new HashSet<>();
    inboxes.leading =
        range -> {
          asked.add(range);
          return false;
        };
    assertThat(inboxes.store().isLedHere(ID)).isFalse();
    assertThat(asked).as("the range of the inbox").hasSize(1);
    inboxes.leading = range -> !asked.contains(range);
    assertThat(inboxes.store().isLedHere(ID)).isFalse();
  }

  /** However many there are, one log entry looks at a bounded number of them. */
  @Test
  void shouldWorkOffManyInSteps() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "first", Qos.AT_LEAST_ONCE);
    for (int i = 0; i < 2 * TrimLeft.MAX_ROWS; i++) {
      inboxes.insert(handle, "own");
    }
    insert(handle, "last", Qos.AT_LEAST_ONCE);
    inboxes.detach(handle, 1, 0, true);
    assertThat(inboxes.dropped).as("counted when they are looked at").isEmpty();
    List<String> found = new ArrayList<>();
    LeftMessage.Page page = take(handle, 10);
    int steps = 1;
    for (; !page.over(); steps++) {
      found.addAll(texts(page));
      Long[] given = page.messages().stream().map(LeftMessage::sequence).toArray(Long[]::new);
      page = take(handle, 10, given);
    }
    assertThat(steps).isEqualTo(4);
    assertThat(found).containsExactly("1:first", (2 * TrimLeft.MAX_ROWS + 2) + ":last");
    assertThat(inboxes.dropped)
        .isEqualTo(Map.of(DropReasons.SESSION_ENDED, 2L * TrimLeft.MAX_ROWS));
  }

  @Test
  void shouldEndAtOnceWithoutShares() {
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.insert(handle, "own");
    insert(inboxes.attach(new InboxId("t", "x")).handle(), "other", Qos.AT_LEAST_ONCE);
    inboxes.store().discard(new InboxId("t", "x")).join();
    inboxes.listener.left.clear();
    inboxes.detach(handle, 1, 0, true);
    assertThat(inboxes.listener.left).isEmpty();
    assertThat(inboxes.dropped).isEqualTo(Map.of(DropReasons.SESSION_ENDED, 1L));
  }

  @Test
  void shouldLeaveNothingWhenAllIsAcknowledged() {
    InboxHandle handle = inboxes.attach(ID).handle();
    insert(handle, "m", Qos.AT_LEAST_ONCE);
    inboxes.commit(handle, 2);
    inboxes.detach(handle, 2, 0, true);
    assertThat(inboxes.listener.left).isEmpty();
    assertThat(inboxes.rows()).isEmpty();
  }
}
