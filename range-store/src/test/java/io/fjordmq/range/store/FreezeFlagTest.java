package io.fjordmq.range.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvMetrics;
import io.fjordmq.range.kv.KvSpace;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When other nodes may rely on a range being frozen. */
class FreezeFlagTest {
  private static final RangeId RANGE = new RangeId("words", 7);
  private static final FreezeRecord FIRST = new FreezeRecord(1, 2, 10, 0);
  private static final FreezeRecord SECOND = new FreezeRecord(1, 4, 20, 0);

  /** Flushes complete when the test completes them. */
  private static final class ManualFlushKv implements Kv {
    private final Queue<CompletableFuture<Void>> flushes = new ConcurrentLinkedQueue<>();

    @Override
    public CompletableFuture<Void> flush() {
      CompletableFuture<Void> flush = new CompletableFuture<>();
      flushes.add(flush);
      return flush;
    }

    private CompletableFuture<Void> next() {
      return requireNonNull(flushes.poll());
    }

    @Override
    public KvSpace space(String name) {
      throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable KvException failure() {
      return null;
    }

    @Override
    public void retryWrites() {}

    @Override
    public KvMetrics metrics() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  private static boolean isDurable(FreezeFlag of) {
    return requireNonNull(of.merging(RANGE)).durable();
  }

  @Test
  void shouldBeDurableAfterAFlush() {
    ManualFlushKv kv = new ManualFlushKv();
    FreezeFlag freezeFlag = new FreezeFlag(kv);
    freezeFlag.set(FIRST);
    assertThat(isDurable(freezeFlag)).isFalse();
    kv.next().completeExceptionally(new KvException(KvException.Kind.DISK_FULL, "disk full"));
    assertThat(isDurable(freezeFlag)).as("requests another flush").isFalse();
    kv.next().complete(null);
    assertThat(isDurable(freezeFlag)).isTrue();
    freezeFlag.set(null);
    assertThat(freezeFlag.merging(RANGE)).isNull();
  }

  /** The range is frozen for another merge while the flush for the previous one completes. */
  @Test
  void shouldNotBeDurableIfTheFlushBeganBeforeTheFreeze() throws Exception {
    ExecutorService disk = Executors.newSingleThreadExecutor();
    try {
      for (int i = 0; i < 50_000; i++) {
        ManualFlushKv kv = new ManualFlushKv();
        FreezeFlag freezeFlag = new FreezeFlag(kv);
        freezeFlag.set(FIRST);
        CompletableFuture<Void> flush = kv.next();
        Future<?> done = disk.submit(() -> flush.complete(null));
        freezeFlag.set(SECOND);
        done.get();
        assertThat(isDurable(freezeFlag)).isFalse();
      }
    } finally {
      disk.shutdown();
    }
  }
}
