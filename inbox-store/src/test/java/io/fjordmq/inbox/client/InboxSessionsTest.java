package io.fjordmq.inbox.client;

import static io.fjordmq.inbox.client.TestInboxes.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.Attachment.ReceivedPublish;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.DropReasons;
import io.fjordmq.inbox.InboxFencedException;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.inbox.Owner;
import io.fjordmq.inbox.PublishId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Attaching, detaching, taking over and ending sessions. */
class InboxSessionsTest {
  private static final TopicFilter FILTER = TopicFilter.parse("$share/g/a/+");
  private static final SubscriptionOptions OPTIONS =
      new SubscriptionOptions(Qos.EXACTLY_ONCE, true, true, RetainHandling.SEND_NEVER, 268_435_455);

  private final TestInboxes inboxes = new TestInboxes();

  @AfterEach
  void close() {
    inboxes.close();
  }

  private void subscribe(InboxHandle handle, String filter) {
    inboxes
        .store()
        .subscribe(handle, TopicFilter.parse(filter), SubscriptionOptions.ofQos(Qos.AT_LEAST_ONCE))
        .join();
  }

  @Test
  void shouldCreateAnEmptyInboxAtTheFirstAttach() {
    Attachment first = inboxes.attach(ID);
    assertThat(first.sessionPresent()).isFalse();
    assertThat(first.subscriptions()).isEmpty();
    assertThat(first.discarded()).isNull();
    assertThat(first.firstUndelivered()).isEqualTo(1);
    assertThat(first.nextSequence()).isEqualTo(1);
    assertThat(first.nextPublishSequence()).isEqualTo(1);
  }

  @Test
  void shouldRaiseTheEpochAndFenceThePreviousConnection() {
    InboxHandle old = inboxes.attach(ID).handle();
    InboxHandle now = inboxes.attach(ID).handle();
    assertThat(now.incarnation()).isEqualTo(old.incarnation());
    assertThat(now.epoch()).isGreaterThan(old.epoch());
    assertThat(inboxes.listener.fencedHandles).containsExactly(old);
    assertThatThrownBy(() -> inboxes.store().subscribe(old, FILTER, OPTIONS).join())
        .hasCauseInstanceOf(InboxFencedException.class);
    inboxes.detach(now);
    assertThatThrownBy(() -> inboxes.store().release(now, 1).join())
        .hasCauseInstanceOf(InboxFencedException.class);
    inboxes.attach(ID);
    assertThat(inboxes.listener.fencedHandles).containsExactly(old);
  }

  @Test
  void shouldReportWhichEntriesAConnectionMayHaveSent() {
    InboxHandle first = inboxes.attach(ID).handle();
    for (int i = 1; i <= 4; i++) {
      inboxes.insert(first, "m" + i);
    }
    inboxes.detach(first, 3, 3600, true);
    inboxes.insert(first, "m5");
    Attachment second = inboxes.attach(ID);
    assertThat(second.sentBelow()).isEqualTo(3);
    // It sent less than the previous connection, whose entries still count as sent.
    inboxes.detach(second.handle(), 1, 3600, true);
    inboxes.crash();
    Attachment third = inboxes.attach(ID);
    assertThat(third.sentBelow()).isEqualTo(3);
    inboxes.detach(third.handle(), 99, 3600, true);
    assertThat(inboxes.attach(ID).sentBelow()).isEqualTo(6);
  }

  @Test
  void shouldTreatAllEntriesAsSentAfterALostConnection() {
    InboxHandle previous = inboxes.attach(ID).handle();
    inboxes.insert(previous, "m1");
    Attachment takeover = inboxes.attach(ID);
    assertThat(takeover.sentBelow()).isEqualTo(2);
    inboxes.insert(previous, "m2");
    inboxes.crash();
    inboxes.deadOwners.add(new Owner("n1", TestInboxes.INCARNATION));
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    inboxes.insert(previous, "m3");
    assertThat(inboxes.attach(ID).sentBelow()).isEqualTo(3);
  }

  @Test
  void shouldTreatNoEntryAsSentInANewSession() {
    InboxHandle old = inboxes.attach(ID).handle();
    inboxes.insert(old, "m1");
    assertThat(inboxes.attach(ID, true, 3600, null).sentBelow()).isEqualTo(1);
  }

  @Test
  void shouldKeepSubscriptionsWithTheirOptions() {
    InboxHandle handle = inboxes.attach(ID).handle();
    assertThat(inboxes.store().subscribe(handle, FILTER, OPTIONS).join()).isFalse();
    assertThat(inboxes.store().subscribe(handle, FILTER, OPTIONS).join()).isTrue();
    subscribe(handle, "b/#");
    assertThat(inboxes.store().status().subscriptions()).isEqualTo(2);
    inboxes.crash();
    assertThat(inboxes.attach(ID).subscriptions())
        .containsExactly(
            new InboxSubscription(FILTER, OPTIONS),
            new InboxSubscription(
                TopicFilter.parse("b/#"), SubscriptionOptions.ofQos(Qos.AT_LEAST_ONCE)));
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    assertThat(inboxes.store().status().subscriptions()).isEqualTo(2);
    InboxHandle back = inboxes.attach(ID).handle();
    assertThat(inboxes.store().unsubscribe(back, FILTER).join()).isTrue();
    assertThat(inboxes.store().unsubscribe(back, FILTER).join()).isFalse();
    assertThat(inboxes.store().status().subscriptions()).isEqualTo(1);
  }

  @Test
  void shouldDiscardTheOldInboxAtACleanStart() {
    InboxHandle old = inboxes.attach(ID).handle();
    subscribe(old, "a");
    inboxes.insert(old, "lost");
    inboxes.insert(old, "lost too");
    inboxes.detach(old);
    Attachment clean = inboxes.attach(ID, true, 60, null);
    assertThat(clean.sessionPresent()).isFalse();
    assertThat(clean.discarded())
        .satisfies(
            discarded -> {
              assertThat(discarded.incarnation()).isEqualTo(old.incarnation());
              assertThat(discarded.subscriptions()).hasSize(1);
            });
    assertThat(clean.handle().incarnation()).isGreaterThan(old.incarnation());
    assertThat(clean.handle().epoch()).isGreaterThan(old.epoch());
    assertThat(clean.subscriptions()).isEmpty();
    assertThat(clean.nextSequence()).isEqualTo(1);
    assertThat(inboxes.listener.endedCalls).isEmpty();
    assertThat(inboxes.dropped).containsEntry(DropReasons.SESSION_ENDED, 2L).hasSize(1);
    assertThat(inboxes.insert(old, "stale")).isEqualTo(InsertOutcome.ABSENT);
    assertThat(inboxes.store().status()).isEqualTo(new InboxStoreStatus(1, 1, 0, 0));
  }

  @Test
  void shouldExpireASessionWithoutAReconnect() {
    InboxHandle handle = inboxes.attach(ID, false, 1000, null).handle();
    subscribe(handle, "a");
    inboxes.store().detach(handle, 1, 60, true).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(59));
    assertThat(inboxes.listener.endedCalls).isEmpty();
    inboxes.crash();
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    assertThat(inboxes.listener.endedCalls)
        .containsExactly(new RecordingListener.EndedCall(ID, handle.incarnation(), List.of("a")));
    assertThat(inboxes.expired).hasValue(1);
    assertThat(inboxes.attach(ID).sessionPresent()).isFalse();
  }

  @Test
  void shouldNotExpireASessionWhoseClientReconnectsInTime() {
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.store().detach(handle, 1, 60, true).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(30));
    assertThat(inboxes.attach(ID).sessionPresent()).isTrue();
    inboxes.advanceAndSweep(Duration.ofDays(10));
    assertThat(inboxes.listener.endedCalls).isEmpty();
    assertThat(inboxes.expired).hasValue(0);
    assertThat(inboxes.attach(ID).sessionPresent()).isTrue();
  }

  @Test
  void shouldTreatAnExpiredSessionAsEndedBeforeTheSweep() {
    InboxHandle handle = inboxes.attach(ID).handle();
    subscribe(handle, "a");
    inboxes.store().detach(handle, 1, 0xFFFF_FFFEL, true).join();
    InboxHandle back = inboxes.attach(ID).handle();
    inboxes.store().detach(back, 1, 1, true).join();
    inboxes.restart();
    // Time passes without a sweep: the attach itself detects that the session has expired.
    inboxes.advanceWithoutSweep(Duration.ofSeconds(1));
    Attachment late = inboxes.attach(ID);
    assertThat(late.sessionPresent()).isFalse();
    assertThat(late.discarded()).isNull();
    assertThat(inboxes.listener.endedCalls)
        .containsExactly(new RecordingListener.EndedCall(ID, back.incarnation(), List.of("a")));
    assertThat(inboxes.expired).hasValue(1);
  }

  @Test
  void shouldEndTheSessionImmediatelyOnRequest() {
    InboxHandle handle = inboxes.attach(ID).handle();
    subscribe(handle, "a");
    inboxes.store().detach(handle, 1, 0, false).join();
    assertThat(inboxes.listener.endedCalls)
        .containsExactly(new RecordingListener.EndedCall(ID, handle.incarnation(), List.of("a")));
    assertThat(inboxes.expired).hasValue(0);
    assertThat(inboxes.store().status()).isEqualTo(new InboxStoreStatus(0, 0, 0, 0));
  }

  @Test
  void shouldNeverEndASessionThatNeverExpires() {
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.store().detach(handle, 1, AttachRequest.NEVER_EXPIRES, true).join();
    inboxes.advanceAndSweep(Duration.ofDays(40));
    assertThat(inboxes.attach(ID).sessionPresent()).isTrue();
  }

  @Test
  void shouldDiscardASession() {
    assertThat(inboxes.store().discard(ID).join().discarded()).isNull();
    InboxHandle handle = inboxes.attach(ID).handle();
    subscribe(handle, "a");
    assertThat(inboxes.store().discard(ID).join().discarded())
        .satisfies(
            discarded -> {
              assertThat(discarded.incarnation()).isEqualTo(handle.incarnation());
              assertThat(discarded.subscriptions()).hasSize(1);
            });
    assertThat(inboxes.listener.fencedHandles).containsExactly(handle);
    assertThat(inboxes.store().discard(ID).join().discarded()).isNull();
  }

  @Test
  void shouldOrderTheConnectionsOfAClient() {
    ConnectOrder first = inboxes.attach(ID).connectOrder();
    ConnectOrder second = inboxes.store().discard(ID).join().connectOrder();
    ConnectOrder third = inboxes.store().discard(ID).join().connectOrder();
    ConnectOrder fourth = inboxes.attach(ID).connectOrder();
    assertThat(List.of(first, second, third, fourth)).isSorted().doesNotHaveDuplicates();
    assertThat(new ConnectOrder(2, 1)).as("another range has another log").isGreaterThan(fourth);
    assertThat(ConnectOrder.NONE).isLessThan(first);
  }

  @Test
  void shouldRemoveEveryRowOfASessionThatEnds() {
    InboxHandle handle = inboxes.attach(ID, false, 60, inboxes.will("will", 5)).handle();
    for (int i = 1; i <= 100; i++) {
      inboxes.insert(handle, inboxes.message("m" + i), new PublishId(5, i, 1));
    }
    inboxes.store().release(handle, 2).join();
    inboxes.store().recordReceived(handle, 9, 1).join();
    subscribe(handle, "a");
    inboxes.store().detach(handle, 1, 60, true).join();
    inboxes.advanceAndSweep(Duration.ofSeconds(60));
    RecordingListener.DueWillCall will = inboxes.listener.dueWillCalls.get(0);
    inboxes.store().confirmWill(ID, will.incarnation(), will.epoch()).join();
    inboxes.advanceAndSweep(Duration.ofDays(8));
    assertThat(inboxes.rows()).isEmpty();
  }

  @Test
  void shouldRememberQos2PublishesUntilTheyAreReleased() {
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.store().recordReceived(handle, 65_535, 1).join();
    inboxes.store().recordReceived(handle, 4, 2).join();
    inboxes.store().recordReceived(handle, 5, 3).join();
    inboxes.store().forgetReceived(handle, 5).join();
    inboxes.crash();
    Attachment back = inboxes.attach(ID);
    assertThat(back.receivedQos2())
        .containsExactlyInAnyOrder(new ReceivedPublish(65_535, 1), new ReceivedPublish(4, 2));
    assertThat(back.nextPublishSequence()).isEqualTo(4);
  }

  @Test
  void shouldDetachInboxesOfADeadProcess() {
    for (int i = 0; i < 30; i++) {
      InboxId id = new InboxId("t", "c" + i);
      inboxes.attach(id, false, 60, inboxes.will("will", 10));
    }
    inboxes.crash();
    inboxes.advanceAndSweep(Duration.ofSeconds(5));
    assertThat(inboxes.store().status().attached()).isEqualTo(30);
    inboxes.deadOwners.add(new Owner("n1", TestInboxes.INCARNATION));
    inboxes.advanceAndSweep(Duration.ofSeconds(5));
    assertThat(inboxes.store().status().attached()).isZero();
    assertThat(inboxes.listener.dueWillCalls).isEmpty();
    inboxes.advanceAndSweep(Duration.ofSeconds(10));
    assertThat(inboxes.listener.dueWillCalls).hasSize(30);
    inboxes.advanceAndSweep(Duration.ofSeconds(50));
    assertThat(inboxes.listener.endedCalls).hasSize(30);
  }

  @Test
  void shouldRejectInvalidIds() {
    assertThatThrownBy(() -> new InboxId("t", "a\0b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("client identifier contains U+0000");
    assertThatThrownBy(() -> new InboxId("\uD83D", "c"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tenant contains an unpaired surrogate");
    assertThat(inboxes.attach(new InboxId("t", "\uD83D\uDE00")).sessionPresent()).isFalse();
    assertThat(inboxes.attach(new InboxId("t", "\uD83D\uDE00")).sessionPresent()).isTrue();
  }
}
