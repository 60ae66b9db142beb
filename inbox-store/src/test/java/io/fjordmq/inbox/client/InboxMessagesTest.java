package io.fjordmq.inbox.client;

import static io.fjordmq.inbox.client.TestInboxes.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Qos;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.DropReasons;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxFencedException;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.PublishId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Inserting, pushing, fetching, acknowledging and dropping messages. */
class InboxMessagesTest {
  private TestInboxes inboxes = new TestInboxes();

  @AfterEach
  void close() {
    inboxes.close();
  }

  private void useLimits(long messages, long bytes, InboxLimits.WhenFull whenFull) {
    inboxes.close();
    inboxes = new TestInboxes(TestInboxes.settings(new InboxLimits(messages, bytes, whenFull)));
  }

  @Test
  void shouldNotifyOfPossiblyLostEventsAfterAnElection() {
    inboxes.attach(ID);
    inboxes.listener.ledInboxes.clear();
    inboxes.crash();
    assertThat(inboxes.listener.ledInboxes).hasSize(4);
    assertThat(inboxes.listener.ledInboxes.stream().filter(concerned -> concerned.test(ID)))
        .hasSize(1);
  }

  @Test
  void shouldInsertIntoManyInboxesWithLongNames() {
    String longName = "n".repeat(60_000);
    List<InboxHandle> handles = new ArrayList<>();
    List<InboxTarget> targets = new ArrayList<>();
    for (int i = 0; i < 90; i++) {
      handles.add(inboxes.attach(new InboxId("t", longName + i)).handle());
      targets.add(TestInboxes.target(handles.get(i)));
    }
    assertThat(inboxes.store().insert(inboxes.message("m"), targets, null).join())
        .hasSize(90)
        .containsOnly(InsertOutcome.STORED);

    List<CompletableFuture<Void>> commits = new ArrayList<>();
    handles.forEach(handle -> commits.add(inboxes.store().commit(handle, 2, List.of())));
    inboxes.linger();
    assertThat(commits).allSatisfy(commit -> assertThat(commit).isCompleted());
    assertThat(inboxes.fetchAll(handles.get(89))).isEmpty();
  }

  @Test
  void shouldKeepMessagesInOrderWhileTheClientIsDisconnected() {
    InboxHandle first = inboxes.attach(ID).handle();
    inboxes.detach(first);
    assertThat(inboxes.insert(first, "one")).isEqualTo(InsertOutcome.STORED);
    assertThat(inboxes.insert(first, "two")).isEqualTo(InsertOutcome.STORED);
    assertThat(inboxes.listener.appendedCalls).isEmpty();

    inboxes.crash();
    Attachment back = inboxes.attach(ID);
    assertThat(back.sessionPresent()).isTrue();
    assertThat(back.firstUndelivered()).isEqualTo(1);
    assertThat(back.nextSequence()).isEqualTo(3);
    assertThat(inboxes.fetchAll(back.handle())).containsExactly("1:one", "2:two");
  }

  @Test
  void shouldPushMessagesToTheNodeThatHoldsTheConnection() {
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.insert(handle, "one");
    assertThat(inboxes.listener.appendedCalls)
        .singleElement()
        .satisfies(
            call -> {
              assertThat(call.ownerNode()).isEqualTo("n1");
              assertThat(call.handle()).isEqualTo(handle);
              InboxEntry entry = call.entries().get(0);
              assertThat(TestInboxes.text(entry)).isEqualTo("1:one");
              assertThat(entry.qos()).isEqualTo(Qos.EXACTLY_ONCE);
              assertThat(entry.subscriptionIdentifiers()).containsExactly(3, 300);
              assertThat(inboxes.fetch(handle, 1, 1).entries().get(0))
                  .usingRecursiveComparison()
                  .isEqualTo(entry);
            });
  }

  @Test
  void shouldReadPagesWithinTheLimits() {
    InboxHandle handle = inboxes.attach(ID).handle();
    for (int i = 1; i <= 5; i++) {
      inboxes.insert(handle, "m" + i);
    }
    InboxStore.Page page = inboxes.fetch(handle, 2, 2);
    assertThat(page.entries()).extracting(TestInboxes::text).containsExactly("2:m2", "3:m3");
    assertThat(page.nextSequence()).isEqualTo(4);
    InboxStore.Page oneByte = inboxes.store().fetch(handle, 4, 100, 1).join();
    assertThat(oneByte.entries()).extracting(TestInboxes::text).containsExactly("4:m4");
    InboxStore.Page end = inboxes.fetch(handle, 6, 10);
    assertThat(end.entries()).isEmpty();
    assertThat(end.nextSequence()).isEqualTo(6);
  }

  @Test
  void shouldRemoveAcknowledgedEntriesEvenAfterACrash() {
    InboxHandle handle = inboxes.attach(ID).handle();
    for (int i = 1; i <= 6; i++) {
      inboxes.insert(handle, "m" + i);
    }
    inboxes.commit(handle, 3, 4L, 6L);
    assertThat(inboxes.fetchAll(handle)).containsExactly("3:m3", "5:m5");
    inboxes.crash();
    Attachment back = inboxes.attach(ID);
    assertThat(back.firstUndelivered()).isEqualTo(3);
    assertThat(back.nextSequence()).isEqualTo(7);
    assertThat(back.acknowledged()).containsExactly(4L, 6L);
    inboxes.commit(back.handle(), 4);
    assertThat(inboxes.attach(ID).firstUndelivered()).isEqualTo(5);
    assertThat(inboxes.store().status().queuedMessages()).isEqualTo(1);
  }

  @Test
  void shouldContinueTheSequenceWhenEverythingIsAcknowledged() {
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.insert(handle, "one");
    inboxes.insert(handle, "two");
    inboxes.commit(handle, 3);
    inboxes.crash();
    Attachment back = inboxes.attach(ID);
    assertThat(back.firstUndelivered()).isEqualTo(3);
    assertThat(back.nextSequence()).isEqualTo(3);
    inboxes.insert(back.handle(), "three");
    assertThat(inboxes.fetchAll(back.handle())).containsExactly("3:three");
  }

  @Test
  void shouldSendAcknowledgementsOfManyInboxesTogetherAfterLingering() {
    List<CompletableFuture<Void>> commits = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      InboxHandle handle = inboxes.attach(new InboxId("t", "c" + i)).handle();
      inboxes.insert(handle, "one");
      inboxes.insert(handle, "two");
      commits.add(inboxes.store().commit(handle, 2, List.of()));
      commits.add(inboxes.store().commit(handle, 3, List.of()));
    }
    assertThat(commits).noneMatch(CompletableFuture::isDone);
    inboxes.linger();
    assertThat(commits).allMatch(CompletableFuture::isDone);
    assertThat(inboxes.store().status().queuedMessages()).isZero();
  }

  @Test
  void shouldSendAcknowledgementsBeforeTheDetach() {
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.insert(handle, "one");
    CompletableFuture<Void> commit = inboxes.store().commit(handle, 2, List.of());
    inboxes.detach(handle);
    assertThat(commit).isCompleted();
    assertThat(inboxes.attach(ID).firstUndelivered()).isEqualTo(2);
  }

  @Test
  void shouldReportAPendingPubrelUntilTheEntryIsCommitted() {
    InboxHandle handle = inboxes.attach(ID).handle();
    for (int i = 1; i <= 3; i++) {
      inboxes.insert(handle, "m" + i);
    }
    inboxes.store().release(handle, 3).join();
    inboxes.store().release(handle, 1).join();
    assertThat(inboxes.fetchAll(handle)).containsExactly("2:m2");
    inboxes.crash();
    Attachment back = inboxes.attach(ID);
    assertThat(back.released()).containsExactly(1L, 3L);
    assertThat(back.nextSequence()).isEqualTo(4);
    inboxes.commit(back.handle(), 1, 3L);
    Attachment again = inboxes.attach(ID);
    assertThat(again.released()).containsExactly(1L);
    assertThat(again.acknowledged()).containsExactly(3L);
    inboxes.commit(again.handle(), 2);
    assertThat(inboxes.attach(ID).released()).isEmpty();
    assertThat(inboxes.attach(ID).firstUndelivered()).isEqualTo(2);
  }

  @Test
  void shouldDropTheOldestWhenFull() {
    useLimits(3, 1 << 20, InboxLimits.WhenFull.DROP_OLDEST);
    InboxHandle handle = inboxes.attach(ID).handle();
    for (int i = 1; i <= 3; i++) {
      assertThat(inboxes.insert(handle, "m" + i)).isEqualTo(InsertOutcome.STORED);
    }
    inboxes.store().release(handle, 1).join();
    assertThat(inboxes.insert(handle, "m4")).isEqualTo(InsertOutcome.STORED);
    assertThat(inboxes.insert(handle, "m5")).isEqualTo(InsertOutcome.STORED_DROPPING_OLDEST);
    assertThat(inboxes.fetchAll(handle)).containsExactly("3:m3", "4:m4", "5:m5");
    assertThat(inboxes.dropped).containsEntry(DropReasons.INBOX_FULL, 1L).hasSize(1);
    inboxes.crash();
    assertThat(inboxes.attach(ID).released()).containsExactly(1L);
    inboxes.advanceAndSweep(Duration.ZERO);
    assertThat(inboxes.store().status().queuedMessages()).isEqualTo(3);
  }

  @Test
  void shouldDropEnoughMessagesForALargeOne() {
    useLimits(100, 200, InboxLimits.WhenFull.DROP_OLDEST);
    InboxHandle handle = inboxes.attach(ID).handle();
    for (int i = 1; i <= 8; i++) {
      inboxes.insert(handle, "m" + i);
    }
    assertThat(inboxes.insert(handle, "x".repeat(120)))
        .isEqualTo(InsertOutcome.STORED_DROPPING_OLDEST);
    assertThat(inboxes.fetchAll(handle)).hasSizeBetween(2, 4).first().isNotEqualTo("1:m1");
    List<String> before = inboxes.fetchAll(handle);
    assertThat(inboxes.insert(handle, "x".repeat(300))).isEqualTo(InsertOutcome.REFUSED_FULL);
    assertThat(inboxes.fetchAll(handle)).isEqualTo(before);
  }

  @Test
  void shouldRejectMessagesWhenFullIfConfigured() {
    useLimits(2, 1 << 20, InboxLimits.WhenFull.REFUSE);
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.insert(handle, inboxes.message("m1", inboxes.nowMillis() + 1000), null);
    inboxes.insert(handle, "m2");
    assertThat(inboxes.insert(handle, "m3")).isEqualTo(InsertOutcome.REFUSED_FULL);
    assertThat(inboxes.dropped).isEmpty();
    inboxes.advanceAndSweep(Duration.ofSeconds(2));
    assertThat(inboxes.insert(handle, "m4")).isEqualTo(InsertOutcome.STORED);
    assertThat(inboxes.fetchAll(handle)).containsExactly("2:m2", "3:m4");
    assertThat(inboxes.dropped).containsEntry(DropReasons.EXPIRED, 1L).hasSize(1);
  }

  @Test
  void shouldOmitExpiredEntriesAndCountThemOnce() {
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.insert(handle, "keep");
    inboxes.insert(handle, inboxes.message("old", inboxes.nowMillis() + 1000), null);
    inboxes.insert(handle, inboxes.message("old too", inboxes.nowMillis() + 1000), null);
    inboxes.advanceAndSweep(Duration.ofSeconds(1));
    assertThat(inboxes.fetch(handle, 2, 10).entries()).isEmpty();
    assertThat(inboxes.fetchAll(handle)).containsExactly("1:keep");
    assertThat(inboxes.dropped).containsEntry(DropReasons.EXPIRED, 2L).hasSize(1);
    inboxes.commit(handle, 2);
    assertThat(inboxes.attach(ID).firstUndelivered()).isEqualTo(4);
  }

  @Test
  void shouldStoreARepeatedMessageOnce() {
    InboxHandle handle = inboxes.attach(ID).handle();
    PublishId second = new PublishId(99, 2, 1);
    assertThat(inboxes.insert(handle, inboxes.message("b"), second))
        .isEqualTo(InsertOutcome.STORED);
    inboxes.crash();
    assertThat(inboxes.insert(handle, inboxes.message("b"), second))
        .isEqualTo(InsertOutcome.DUPLICATE);
    assertThat(inboxes.insert(handle, inboxes.message("a"), new PublishId(99, 1, 1)))
        .isEqualTo(InsertOutcome.STORED);
    assertThat(inboxes.insert(handle, inboxes.message("c"), new PublishId(99, 3, 3)))
        .isEqualTo(InsertOutcome.STORED);
    assertThat(inboxes.insert(handle, inboxes.message("b"), second))
        .isEqualTo(InsertOutcome.DUPLICATE);
    assertThat(inboxes.insert(handle, inboxes.message("b"), new PublishId(98, 2, 1)))
        .isEqualTo(InsertOutcome.STORED);
    assertThat(inboxes.fetchAll(handle)).containsExactly("1:b", "2:a", "3:c", "4:b");
  }

  @Test
  void shouldForgetIdleProducers() {
    InboxHandle handle = inboxes.attach(ID, false, AttachRequest.NEVER_EXPIRES, null).handle();
    PublishId idle = new PublishId(1, 1, 1);
    PublishId busy = new PublishId(2, 1, 1);
    inboxes.insert(handle, inboxes.message("idle"), idle);
    inboxes.insert(handle, inboxes.message("busy"), busy);
    inboxes.advanceAndSweep(Duration.ofDays(6));
    inboxes.insert(handle, inboxes.message("busy 2"), new PublishId(2, 2, 1));
    inboxes.advanceAndSweep(Duration.ofDays(2));
    assertThat(inboxes.insert(handle, inboxes.message("busy"), busy))
        .isEqualTo(InsertOutcome.DUPLICATE);
    assertThat(inboxes.insert(handle, inboxes.message("idle"), idle))
        .isEqualTo(InsertOutcome.STORED);
    inboxes.advanceAndSweep(Duration.ofDays(8));
    assertThat(inboxes.insert(handle, inboxes.message("busy"), busy))
        .isEqualTo(InsertOutcome.STORED);
  }

  @Test
  void shouldSendOneMessageToInboxesOfAllRanges() {
    List<InboxTarget> targets = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      targets.add(TestInboxes.target(inboxes.attach(new InboxId("t", "c" + i)).handle()));
    }
    InboxTarget stale =
        new InboxTarget(new InboxId("t", "c7"), 1, Qos.AT_LEAST_ONCE, false, List.of());
    targets.set(20, stale);
    List<InsertOutcome> outcomes =
        inboxes.store().insert(inboxes.message("all"), targets, null).join();
    assertThat(outcomes).hasSize(50);
    assertThat(outcomes.get(20)).isEqualTo(InsertOutcome.ABSENT);
    assertThat(outcomes).filteredOn(InsertOutcome.STORED::equals).hasSize(49);
    assertThat(inboxes.store().status()).isEqualTo(new InboxStoreStatus(50, 50, 0, 49));
    inboxes.restart();
    assertThat(inboxes.store().status()).isEqualTo(new InboxStoreStatus(50, 50, 0, 0));
    inboxes.advanceAndSweep(Duration.ZERO);
    assertThat(inboxes.store().status()).isEqualTo(new InboxStoreStatus(50, 50, 0, 49));
  }

  @Test
  void shouldRejectCallsOfAFencedConnection() {
    InboxHandle old = inboxes.attach(ID).handle();
    InboxHandle now = inboxes.attach(ID).handle();
    inboxes.insert(now, "one");
    List<CompletableFuture<?>> calls =
        List.of(
            inboxes.store().fetch(old, 1, 1, 1),
            inboxes.store().commit(old, 2, List.of()),
            inboxes.store().release(old, 1),
            inboxes.store().recordReceived(old, 1, 1),
            inboxes.store().forgetReceived(old, 1),
            inboxes.store().detach(old, 1, 0, false));
    inboxes.linger();
    for (CompletableFuture<?> call : calls) {
      assertThatThrownBy(call::join).hasCauseInstanceOf(InboxFencedException.class);
    }
    assertThat(inboxes.fetchAll(now)).containsExactly("1:one");
  }
}
