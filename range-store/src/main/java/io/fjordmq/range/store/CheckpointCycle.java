package io.fjordmq.range.store;

import io.fjordmq.range.RangeObserver;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodically makes the applied state of all replicas durable, so that their logs can be truncated
 * and a restart has little to replay. All replicas share one or two flushes of the storage.
 */
final class CheckpointCycle {
  /*
   * The interval is divided into small steps, so that fast log growth can trigger the next
   * checkpoint early.
   */
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointCycle.class);
  private static final int STEPS = 30;

  private final RangeStoreSettings settings;
  private final RangeRuntime runtime;
  private final RangeObserver observer;
  private final Supplier<Collection<SupervisedReplica>> replicas;
  private final BooleanSupplier cannotWrite;

  // Used by the supervisor thread.
  private long lastMillis;
  private boolean stopped;

  /**
   * Whether a checkpoint is running. There is one at a time, so that checkpoints do not pile up on
   * a slow disk. Cleared on another thread.
   */
  private volatile boolean running;

  CheckpointCycle(
      RangeStoreSettings settings,
      RangeRuntime runtime,
      RangeObserver observer,
      Supplier<Collection<SupervisedReplica>> replicas,
      BooleanSupplier cannotWrite) {
    this.settings = settings;
    this.runtime = runtime;
    this.observer = observer;
    this.replicas = replicas;
    this.cannotWrite = cannotWrite;
  }

  void start() {
    lastMillis = runtime.timers().nowMillis();
    scheduleStep();
  }

  private void scheduleStep() {
    long step = Math.max(1, settings.checkpointInterval().toMillis() / STEPS);
    runtime.timers().schedule(step, () -> runtime.supervisor().execute(this::step));
  }

  private void step() {
    if (stopped) {
      return;
    }
    try {
      // On a disk that rejects writes, every replica would fail and log an error at every step.
      if (!running && isDue() && !cannotWrite.getAsBoolean()) {
        run();
      }
    } catch (RuntimeException e) {
      LOG.error("Failed to begin a checkpoint; retrying at the next interval", e);
    }
    scheduleStep();
  }

  private boolean isDue() {
    long waited = runtime.timers().nowMillis() - lastMillis;
    return waited >= settings.checkpointInterval().toMillis()
        || logBytes() >= settings.checkpointLogBytes();
  }

  /**
   * Returns the size of the log since the last checkpoint, over all ranges, because they share one
   * log database.
   */
  private long logBytes() {
    return replicas.get().stream()
        .map(SupervisedReplica::replica)
        .filter(Objects::nonNull)
        .mapToLong(RangeReplica::logBytesSinceCheckpoint)
        .sum();
  }

  /** Checkpoints every replica that has something new; completes when all are done or failed. */
  CompletableFuture<Void> run() {
    lastMillis = runtime.timers().nowMillis();
    long startNanos = System.nanoTime();
    List<CompletableFuture<Boolean>> parts = new ArrayList<>();
    replicas.get().forEach(replica -> parts.add(replica.checkpoint()));
    running = true;
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .whenComplete((done, error) -> running = false)
        .thenRun(() -> onFinished(parts, System.nanoTime() - startNanos));
  }

  private void onFinished(List<CompletableFuture<Boolean>> parts, long nanos) {
    long done = parts.stream().filter(CompletableFuture::join).count();
    if (done > 0) {
      LOG.debug("Checkpoint finished ranges={} durationMs={}", done, nanos / 1_000_000);
      observer.onCheckpoint(nanos);
    }
  }

  void stop() {
    stopped = true;
  }
}
