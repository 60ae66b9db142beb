package io.fjordmq.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ThreadTimersTest {
  private static final long TIMEOUT_MILLIS = TimeUnit.SECONDS.toMillis(10);
  private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

  @Test
  void shouldRunTasksOnOneThreadInTheOrderOfTheirTimes() {
    List<String> ran = new ArrayList<>();
    CompletableFuture<Thread> first = new CompletableFuture<>();
    CompletableFuture<Thread> second = new CompletableFuture<>();
    try (ThreadTimers timers = new ThreadTimers("test-timers")) {
      timers.schedule(
          500, // longer than a busy host delays the next call
          () -> {
            ran.add("second");
            second.complete(Thread.currentThread());
          });
      timers.schedule(
          0,
          () -> {
            ran.add("first");
            first.complete(Thread.currentThread());
          });
      assertThat(second.join()).isSameAs(first.join());
    }
    assertThat(ran).containsExactly("first", "second");
  }

  @Test
  void shouldContinueAfterATaskThatFails() {
    CompletableFuture<String> next = new CompletableFuture<>();
    try (ThreadTimers timers = new ThreadTimers("test-timers")) {
      timers.schedule(
          0,
          () -> {
            throw new IllegalStateException("expected by this test");
          });
      timers.schedule(0, () -> next.complete("ran"));
      assertThat(next.join()).isEqualTo("ran");
    }
  }

  @Test
  void shouldStopItsThreadImmediatelyWithTasksScheduled() throws InterruptedException {
    ThreadTimers timers = new ThreadTimers("test-timers");
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    timers.schedule(0, () -> thread.complete(Thread.currentThread()));
    timers.schedule(DAY_MILLIS, () -> {});
    thread.join();
    timers.close();
    thread.join().join(TIMEOUT_MILLIS); // it ends a moment after its executor
    assertThat(thread.join().isAlive()).isFalse();
    timers.schedule(0, () -> {}); // does nothing
  }
}
