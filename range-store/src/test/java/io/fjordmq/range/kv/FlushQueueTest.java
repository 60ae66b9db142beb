package io.fjordmq.range.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FlushQueueTest {
  private final AtomicInteger flushes = new AtomicInteger();

  @Test
  void shouldFlushWhenClosed() {
    FlushQueue queue =
        new FlushQueue("test-flush", flushes::incrementAndGet, Duration.ofMinutes(1));
    queue.close();
    assertThat(flushes).hasValue(1);
    queue.close();
    assertThat(flushes).hasValue(1);
    assertThat(queue.request()).isCompletedExceptionally();
  }

  @Test
  void shouldReportThatTheLastFlushFailed() {
    KvException full = new KvException(KvException.Kind.IO_ERROR, "no space left");
    FlushQueue queue =
        new FlushQueue(
            "test-flush",
            () -> {
              throw full;
            },
            Duration.ofMinutes(1));
    assertThatThrownBy(queue::close).isSameAs(full);
  }

  @Test
  void shouldCloseWhileAFlushIsBlocked() throws InterruptedException {
    CountDownLatch flushing = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    FlushQueue queue =
        new FlushQueue(
            "test-flush",
            () -> {
              flushing.countDown();
              CompletableFuture.runAsync(() -> awaitQuietly(release)).join();
              flushes.incrementAndGet();
            },
            Duration.ofMillis(20));
    CompletableFuture<Void> stuck = queue.request();
    flushing.await();
    queue.close();
    assertThat(stuck).isNotDone();
    assertThat(flushes).hasValue(0);
    release.countDown();
    assertThat(stuck).succeedsWithin(Duration.ofSeconds(20)); // it was not interrupted
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
