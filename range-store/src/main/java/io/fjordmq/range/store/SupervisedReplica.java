package io.fjordmq.range.store;

import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.KvSpace;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one replica open: opens it, and reopens it with growing delays whenever it halts.
 * Thread-safe; opening and closing block, the other methods do not.
 */
final class SupervisedReplica {
  private static final Logger LOG = LoggerFactory.getLogger(SupervisedReplica.class);

  /**
   * A single fault may be transient; this many consecutive faults, with increasing backoff, are
   * not.
   */
  private static final int FAULTS_UNTIL_BROKEN = 4;

  private final RangeId id;
  private final StoreSpec spec;
  private final KvSpace space;
  private final ConsensusHost host;
  private final ReplicaDependencies dependencies;

  /** The descriptor when the replica was last open. */
  private volatile RangeDescriptor lastDescriptor;

  private volatile ReplicaStatus.@Nullable Merging lastMerging;

  private int failures;

  /** Failures that are the replica's own, not caused by the disk or an unknown format. */
  private int faults;

  private volatile boolean broken;
  private long openedAtMillis;
  private boolean closed;
  private volatile @Nullable OpenReplica current;
  private volatile @Nullable String failure;

  /** One opening of the replica; a checkpoint belongs to the opening that it started in. */
  private record OpenReplica(RangeReplica replica, Consensus group, AtomicBoolean checkpointing) {}

  SupervisedReplica(
      RangeDescriptor initial,
      StoreSpec spec,
      KvSpace space,
      ConsensusHost host,
      ReplicaDependencies dependencies) {
    this.id = initial.id();
    this.lastDescriptor = initial;
    this.spec = spec;
    this.space = space;
    this.host = host;
    this.dependencies = dependencies;
  }

  /** Returns the open replica; null while it is closed. */
  @Nullable RangeReplica replica() {
    OpenReplica opened = current;
    return opened == null ? null : opened.replica();
  }

  /** Returns the group of the open replica; null while it is closed. */
  @Nullable Consensus group() {
    OpenReplica opened = current;
    return opened == null ? null : opened.group();
  }

  RangeDescriptor descriptor() {
    RangeReplica replica = replica();
    return replica == null ? lastDescriptor : replica.descriptor();
  }

  ReplicaStatus status() {
    RangeReplica replica = replica();
    ReplicaStatus status =
        replica != null
            ? replica.status()
            : new ReplicaStatus(
                dependencies.self(), lastDescriptor, false, 0, 0, 0, 0, null, lastMerging, failure);
    return status.withBroken(broken);
  }

  /** Marks the replica as broken at an operator's request, even if it seems healthy. */
  void markForRebuild() {
    broken = true;
  }

  /**
   * Returns the load since the previous call.
   *
   * @return null while the replica does not lead, or has only just become leader
   */
  @Nullable LedRange measure(long nanos, Duration idleWindow) {
    Consensus group = group();
    if (group == null) {
      return null;
    }
    RangeDescriptor measured = descriptor();
    RangeLoad load = dependencies.load().measure(id, nanos, idleWindow, spec.splitKeyFloor());
    return load == null || measured != descriptor()
        ? null
        : new LedRange(
            measured,
            load,
            dependencies.load().writes(),
            LeaderOperations.isLogTruncated(group.status()));
  }

  /**
   * Opens the replica for the first time.
   *
   * @throws IOException if the replica cannot be opened
   */
  synchronized void open() throws IOException {
    RangeReplica replica =
        RangeReplica.open(id, space, spec.coprocessorFactory().apply(id), dependencies);
    try {
      Consensus group = host.open(lastDescriptor.group(), replica);
      replica.attach(group);
      current = new OpenReplica(replica, group, new AtomicBoolean());
      openedAtMillis = dependencies.runtime().timers().nowMillis();
      failure = null;
    } catch (ConsensusException e) {
      replica.close();
      throw new IOException("cannot open the group of range " + id + ": " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      replica.close();
      throw e;
    }
  }

  /** Schedules the reopening of the replica after it has halted. */
  synchronized void reopenLater() {
    RangeReplica replica = replica();
    HaltReason haltReason = replica == null ? null : replica.halt();
    if (haltReason != null) {
      failure = haltReason.reason();
    }
    long openMillis = dependencies.runtime().timers().nowMillis() - openedAtMillis;
    if (openMillis > dependencies.settings().maxReopenBackoff().toMillis()) {
      failures = 0; // it ran without failures for a while, so this is a new problem
      faults = 0;
    }
    reopenLater(
        haltReason == null || haltReason.formatKnown(),
        haltReason != null && haltReason.maybeDamaged());
  }

  /** Opens a replica that is on disk, and retries if that fails. */
  synchronized void openOrRetry() {
    try {
      open();
    } catch (IOException | RuntimeException | Error e) {
      onOpenFailed(e);
    }
  }

  /**
   * @param formatKnown false if it will halt again until this node is upgraded
   * @param maybeDamaged whether the replica itself may be damaged
   */
  private void reopenLater(boolean formatKnown, boolean maybeDamaged) {
    Duration maxDelay = dependencies.settings().maxReopenBackoff();
    if (maybeDamaged && !cannotWrite()) {
      faults++;
      maybeMarkBroken();
    }
    long pause =
        formatKnown
            ? Math.min(
                dependencies.settings().reopenBackoff().toMillis() << Math.min(failures, 20),
                maxDelay.toMillis())
            : maxDelay.toMillis();
    failures++;
    LOG.info("Reopening a replica later range={} delayMs={} attempt={}", id, pause, failures);
    scheduleReopen(pause);
  }

  /** Marks the replica as broken after too many faults, unless it was rebuilt too often already. */
  private void maybeMarkBroken() {
    if (broken || faults < FAULTS_UNTIL_BROKEN) {
      return;
    }
    if (dependencies.rebuildLimit().mayRebuild(id)) {
      broken = true;
      LOG.error(
          "Replica is broken; rebuilding it if the other voters form a majority: {} range={}",
          failure,
          id);
    } else if (faults == FAULTS_UNTIL_BROKEN) {
      LOG.error(
          "Replica is broken again and stays halted after {} rebuilds within {} min; "
              + "fix the cause, then run 'rebuild {}': {} range={}",
          RebuildLimit.MAX_REBUILDS,
          RebuildLimit.WINDOW.toMinutes(),
          id,
          failure,
          id);
    }
  }

  private void scheduleReopen(long pause) {
    dependencies
        .runtime()
        .timers()
        .schedule(pause, () -> dependencies.runtime().supervisor().execute(this::reopen));
  }

  /**
   * Returns whether the disk rejects writes. If so, a reopened replica would halt again at its
   * first entry.
   */
  private boolean cannotWrite() {
    return host.failure() != null || dependencies.kv().failure() != null;
  }

  private synchronized void reopen() {
    if (closed) {
      return;
    }
    closeCurrent();
    if (cannotWrite()) {
      scheduleReopen(dependencies.settings().reopenBackoff().toMillis());
      return;
    }
    try {
      open();
      LOG.info("Replica reopened range={} attempt={}", id, failures);
    } catch (IOException | RuntimeException | Error e) {
      onOpenFailed(e);
    }
  }

  /**
   * Retries after any exception or error, for example if the system refuses another thread;
   * otherwise the range would never be opened again.
   */
  private void onOpenFailed(Throwable reason) {
    NewerFormatException newer = NewerFormatException.findIn(reason);
    failure = newer == null ? String.valueOf(reason) : newer.getMessage();
    LOG.error(
        "Failed to open a replica; retrying: {} range={} attempt={}",
        failure,
        id,
        failures,
        newer == null ? reason : null);
    reopenLater(newer == null, newer == null);
  }

  /**
   * Makes the applied state durable; completes with true if there was something to do, with false
   * if there was not or an earlier checkpoint is still running.
   */
  CompletableFuture<Boolean> checkpoint() {
    OpenReplica opened = current;
    if (opened == null
        || opened.replica().logBytesSinceCheckpoint() == 0
        || !opened.checkpointing().compareAndSet(false, true)) {
      return CompletableFuture.completedFuture(false);
    }
    return opened
        .group()
        .checkpoint()
        .handle(
            (index, error) -> {
              opened.checkpointing().set(false);
              if (error != null) {
                LOG.warn("Checkpoint failed; keeping the log range={}", id, error);
              }
              return error == null;
            });
  }

  synchronized void close() {
    closed = true;
    closeCurrent();
  }

  private void closeCurrent() {
    OpenReplica opened = current;
    current = null;
    if (opened != null) {
      opened.group().close();
      lastDescriptor = opened.replica().descriptor();
      lastMerging = opened.replica().status().merging();
      opened.replica().close();
    }
  }
}
