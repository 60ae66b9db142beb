package io.fjordmq.cluster.consensus.log;

import io.fjordmq.cluster.consensus.LogLatency;
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
 * Tracks whether the log database accepts writes, and their latency. Logs one line when writes
 * start to fail and one when they recover, instead of one per group and attempt. Thread-safe; does
 * not block.
 */
public final class LogHealth {
  private static final Logger LOG = LoggerFactory.getLogger(LogHealth.class);

  private final Path directory;
  private final Map<Thread, Long> startNanos = new ConcurrentHashMap<>();
  private final AtomicLong slowestNanos = new AtomicLong();
  private volatile @Nullable String failure;

  public LogHealth(Path directory) {
    this.directory = directory;
  }

  /** Returns why the last write failed; null if it succeeded or there was none. */
  public @Nullable String failure() {
    return failure;
  }

  /** Returns the write latency since the previous call. */
  public LogLatency latency() {
    long now = System.nanoTime();
    long waiting = startNanos.values().stream().mapToLong(started -> now - started).max().orElse(0);
    return new LogLatency(
        TimeUnit.NANOSECONDS.toMillis(Math.max(0, waiting)),
        TimeUnit.NANOSECONDS.toMillis(slowestNanos.getAndSet(0)));
  }

  /** Must be called before a write, by the writing thread. */
  public void onWriteStarted() {
    startNanos.put(Thread.currentThread(), System.nanoTime());
  }

  /** Must be called after a write, whether it succeeded or not, by the same thread. */
  public void onWriteFinished() {
    Long started = startNanos.remove(Thread.currentThread());
    if (started != null) {
      slowestNanos.accumulateAndGet(System.nanoTime() - started, Math::max);
    }
  }

  public void onWriteSucceeded() {
    if (failure != null) {
      failure = null;
      LOG.info("Raft log accepts writes again directory={}", directory);
    }
  }

  public void onWriteFailed(RocksDBException cause) {
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
        ? "; free disk space; the node recovers automatically"
        : "; repair the disk, then restart the node";
  }
}
