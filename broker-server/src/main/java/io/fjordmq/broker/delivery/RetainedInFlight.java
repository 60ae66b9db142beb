package io.fjordmq.broker.delivery;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The retained publishes of this node that the store has not responded to yet. Each is counted in
 * the epoch in which it began. To wait for those that have begun, a new epoch begins, and the
 * previous one drains (a grace period, as in RCU). At most one epoch drains at a time; who waits
 * meanwhile shares the next grace period. Thread-safe; futures complete without a lock.
 */
final class RetainedInFlight {
  private static final CompletableFuture<Void> NONE = CompletableFuture.completedFuture(null);

  /** A period of time, with the publishes that began in it. Guarded by the enclosing object. */
  static final class Epoch {
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private int open;
  }

  private Epoch current = new Epoch();
  private @Nullable Epoch draining;

  /** Whether the current epoch must drain after the one that drains now. */
  private boolean awaitsCurrent;

  /**
   * Counts a publish. Must be called before the message is matched.
   *
   * @return the epoch to pass to {@link #end}
   */
  synchronized Epoch begin() {
    current.open++;
    return current;
  }

  /** Must be called once for each {@link #begin}, when the store has responded. */
  void end(Epoch epoch) {
    Epoch drained = null;
    Epoch alsoDrained = null;
    synchronized (this) {
      epoch.open--;
      if (epoch.open == 0 && epoch == draining) {
        drained = epoch;
        draining = null;
        if (awaitsCurrent) {
          awaitsCurrent = false;
          if (current.open > 0) {
            draining = current;
          } else {
            alsoDrained = current;
          }
          current = new Epoch();
        }
      }
    }
    if (drained != null) {
      drained.drained.complete(null);
    }
    if (alsoDrained != null) {
      alsoDrained.drained.complete(null);
    }
  }

  /** Returns whether any publish is in flight. */
  synchronized boolean isEmpty() {
    return current.open == 0 && draining == null;
  }

  /** Completes when no publish is in flight that has begun before this call. */
  synchronized CompletableFuture<Void> whenDrained() {
    Epoch before = draining;
    if (current.open == 0) {
      return before == null ? NONE : before.drained;
    }
    Epoch awaited = current;
    if (before == null) {
      draining = awaited;
      current = new Epoch();
    } else {
      awaitsCurrent = true;
    }
    return awaited.drained;
  }
}
