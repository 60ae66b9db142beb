package io.fjordmq.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.common.net.EventLoops;
import io.fjordmq.common.net.SocketTransport;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThreadTimersTest {
  private static final long TIMEOUT_MILLIS = TimeUnit.SECONDS.toMillis(10);
  private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

  private final EventLoopGroup loops =
      new EventLoops(1, new DefaultThreadFactory("test-loop"), SocketTransport.best().ioHandlers());

  @AfterEach
  void stopLoops() {
    loops.shutdownGracefully(0, TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).syncUninterruptibly();
  }

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

  @Test
  void shouldRunAPauseOnTheEventLoopThatScheduledIt() {
    EventLoop loop = loops.next();
    CompletableFuture<Boolean> ranOnLoop = new CompletableFuture<>();
    try (ThreadTimers timers = new ThreadTimers("test-timers")) {
      loop.execute(() -> timers.pauseNanos(1, () -> ranOnLoop.complete(loop.inEventLoop())));
      assertThat(ranOnLoop.join()).isTrue();
    }
  }

  @Test
  void shouldRunThePauseOfAnotherThreadOnItsOwnThread() {
    CompletableFuture<String> thread = new CompletableFuture<>();
    try (ThreadTimers timers = new ThreadTimers("test-timers")) {
      timers.pauseNanos(1, () -> thread.complete(Thread.currentThread().getName()));
      assertThat(thread.join()).isEqualTo("test-timers");
    }
  }

  @Test
  void shouldEndThePausesOfAnEventLoopThatStops() {
    CompletableFuture<String> thread = new CompletableFuture<>();
    try (ThreadTimers timers = new ThreadTimers("test-timers")) {
      loops
          .submit(
              () ->
                  timers.pauseNanos(
                      TimeUnit.DAYS.toNanos(1),
                      () -> thread.complete(Thread.currentThread().getName())))
          .syncUninterruptibly();
      loops.shutdownGracefully(0, TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
      assertThat(thread.join()).isEqualTo("test-timers");
    }
  }

  @Test
  void shouldDropPausesAfterItsClose() {
    AtomicBoolean ran = new AtomicBoolean();
    ThreadTimers timers = new ThreadTimers("test-timers");
    timers.close();
    loops.submit(() -> timers.pauseNanos(1, () -> ran.set(true))).syncUninterruptibly();
    loops
        .next()
        .schedule(() -> {}, 1, TimeUnit.MILLISECONDS) // runs after the pause
        .syncUninterruptibly();
    assertThat(ran).isFalse();
  }
}
