package io.fjordmq.cluster.consensus;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the log database takes writes, and how quickly: one line in the log when it stops, one
 * when it goes on, instead of one per group and attempt. Thread-safe; nothing here waits for a
 * write.
 */
final class LogHealth {
  private static final Logger LOG = LoggerFactory.getLogger(LogHealth.class);

  private final Path directory;
  private final Map<Thread, Long> begunNanos = new ConcurrentHashMap<>();
  private final AtomicLong slowestNanos = new AtomicLong();
  private volatile @Nullable String failure;

  LogHealth(Path directory) {
    this.directory = directory;
  }

  /** Why the last write failed, null if it did not. */
  @Nullable String failure() {
    return failure;
  }

  /** How quick writes have been since this was last asked. */
  LogLatency pace() {
    long now = System.nanoTime();
    long waiting = begunNanos.values().stream().mapToLong(begun -> now - begun).max().orElse(0);
    return new LogLatency(
        TimeUnit.NANOSECONDS.toMillis(Math.max(0, waiting)),
        TimeUnit.NANOSECONDS.toMillis(slowestNanos.getAndSet(0)));
  }

  /** To be called before a write, by its thread. */
  void writeBegins() {
    begunNanos.put(Thread.currentThread(), System.nanoTime());
  }

  /** To be called after it, whether it worked or not. */
  void writeEnds() {
    Long begun = begunNanos.remove(Thread.currentThread());
    if (begun != null) {
      slowestNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
    }
  }

  void writeWorked() {
    if (failure != null) {
      failure = null;
      LOG.info("Raft log accepts writes again directory={}", directory);
    }
  }

  void writeFailed(RocksDBException cause) {
    String text =
        "the Raft log in " + directory + " rejects writes: " + cause.getMessage() + advice(cause);
    if (failure == null) {
      LOG.error(text);
    }
    failure = text;
  }

  private static String advice(RocksDBException cause) {
    Status status = cause.getStatus();
    boolean full =
        (status != null && status.getSubCode() == Status.SubCode.NoSpace)
            || String.valueOf(cause.getMessage()).contains("No space left");
    return full
        ? "; free some space, the node recovers by itself"
        : "; repair the disk, then restart the node";
  }
}
