package io.fjordmq.inbox.client;

import static io.fjordmq.inbox.client.TestInboxes.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.range.RangeException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls that a busy range rejects are retried if their callers do not retry themselves. */
class BusyRangeTest {
  private static final Duration FIRST_WAIT = Duration.ofMillis(50);

  private final TestInboxes inboxes = new TestInboxes();
  private final InboxHandle handle = inboxes.attach(ID).handle();

  @BeforeEach
  void queueThreeMessages() {
    for (int i = 1; i <= 3; i++) {
      inboxes.insert(handle, "m" + i);
    }
  }

  @AfterEach
  void close() {
    inboxes.close();
  }

  private CompletableFuture<Void> commit(long upTo) {
    CompletableFuture<Void> done = inboxes.store().commit(handle, upTo, List.of());
    inboxes.linger();
    return done;
  }

  @Test
  void shouldRetryCommitsWithGrowingDelays() {
    inboxes.refusals.set(2);
    CompletableFuture<Void> done = commit(2);
    assertThat(done).isNotDone();
    inboxes.advanceWithoutSweep(FIRST_WAIT);
    assertThat(inboxes.refusals).hasValue(0);
    inboxes.advanceWithoutSweep(FIRST_WAIT);
    assertThat(done).isNotDone();
    inboxes.advanceWithoutSweep(FIRST_WAIT);
    assertThat(done).isCompleted();
    assertThat(inboxes.fetchAll(handle)).containsExactly("2:m2", "3:m3");
  }

  @Test
  void shouldFailAfterTheMaximumNumberOfRetries() {
    inboxes.refusals.set(100);
    CompletableFuture<Void> done = commit(2);
    inboxes.advanceWithoutSweep(Duration.ofMinutes(1));
    assertThat(inboxes.refusals).hasValue(96); // the first attempt and three retries
    assertThatThrownBy(done::join).hasCauseInstanceOf(RangeException.class);
    assertThat(inboxes.fetchAll(handle)).hasSize(3);
  }

  @Test
  void shouldNotDelayLaterAcknowledgements() {
    inboxes.refusals.set(1);
    final CompletableFuture<Void> refused = commit(2);
    assertThat(commit(3)).isCompleted();
    assertThat(inboxes.fetchAll(handle)).containsExactly("3:m3");
    inboxes.advanceWithoutSweep(FIRST_WAIT);
    assertThat(refused).isCompleted();
  }

  @Test
  void shouldCompleteAllCallersOfMergedAcknowledgements() {
    inboxes.refusals.set(2);
    CompletableFuture<Void> first = inboxes.store().commit(handle, 2, List.of());
    inboxes.linger();
    CompletableFuture<Void> second = inboxes.store().commit(handle, 3, List.of());
    inboxes.linger();
    inboxes.advanceWithoutSweep(FIRST_WAIT.multipliedBy(3));
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(inboxes.fetchAll(handle)).containsExactly("3:m3");
  }

  @Test
  void shouldCommitRejectedAcknowledgementsBeforeTheDetach() {
    inboxes.refusals.set(2);
    CompletableFuture<Void> refused = commit(2);
    CompletableFuture<Void> lingering = inboxes.store().commit(handle, 2, List.of(3L));
    CompletableFuture<Void> detached = inboxes.store().detach(handle, 4, 60, true);
    assertThat(detached).isNotDone();
    inboxes.advanceWithoutSweep(FIRST_WAIT);
    assertThat(List.of(refused, lingering, detached)).allMatch(CompletableFuture::isDone);
    Attachment back = inboxes.attach(ID);
    assertThat(back.firstUndelivered()).isEqualTo(2);
    assertThat(back.acknowledged()).containsExactly(3L);
  }

  @Test
  void shouldNotRetryCallsThatTheCallerRetries() {
    inboxes.refusals.set(1);
    assertThatThrownBy(() -> inboxes.store().release(handle, 1).join())
        .hasCauseInstanceOf(RangeException.class);
    inboxes.advanceWithoutSweep(Duration.ofMinutes(1));
    assertThat(inboxes.fetchAll(handle)).hasSize(3);
  }

  @Test
  void shouldRetryADetachThatFailed() {
    inboxes.refusals.set(5); // one attempt, three retries, one pending detach
    CompletableFuture<Void> detached = inboxes.store().detach(handle, 4, 60, false);
    inboxes.advanceWithoutSweep(Duration.ofSeconds(1));
    assertThatThrownBy(detached::join).hasCauseInstanceOf(RangeException.class);
    inboxes.advanceAndSweep(Duration.ofSeconds(120));
    assertThat(inboxes.refusals).hasValue(0);
    assertThat(inboxes.listener.endedCalls).hasSize(1);
  }

  @Test
  void shouldNotDetachALaterConnectionBecauseOfAPendingDetach() {
    inboxes.refusals.set(4);
    CompletableFuture<Void> detached = inboxes.store().detach(handle, 4, 1, false);
    inboxes.advanceWithoutSweep(Duration.ofSeconds(1));
    assertThat(detached).isCompletedExceptionally();
    InboxHandle later = inboxes.attach(ID).handle();
    inboxes.advanceAndSweep(Duration.ofMinutes(1));
    assertThat(inboxes.listener.endedCalls).isEmpty();
    assertThat(inboxes.fetchAll(later)).hasSize(3);
  }
}
