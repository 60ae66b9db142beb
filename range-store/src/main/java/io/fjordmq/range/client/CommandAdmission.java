package io.fjordmq.range.client;

import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import org.jspecify.annotations.Nullable;

/**
 * Decides which commands a batcher accepts: none beyond the limits of its queue, and none for a
 * short time after it has abandoned a batch. During this pause, callers that send in order notice
 * the failure and stop; otherwise a later command could be applied before an earlier one that they
 * are about to repeat. Guarded by its batcher.
 */
final class CommandAdmission {
  private final RangeId id;
  private final CommandQueue queue;
  private final ClientDependencies shared;
  private long pausedUntilMillis = Long.MIN_VALUE;

  CommandAdmission(RangeId id, CommandQueue queue, ClientDependencies shared) {
    this.id = id;
    this.queue = queue;
    this.shared = shared;
  }

  /** Returns the reason to reject the command; null if it is accepted. */
  @Nullable RangeException refusal(PendingCommand command) {
    if (shared.timers().nowMillis() < pausedUntilMillis) {
      return busyFailure("an earlier command to range " + id + " has just failed");
    }
    return queue.canAccept(command)
        ? null
        : busyFailure("the queue for range %s is full (%d commands)".formatted(id, queue.size()));
  }

  /** Starts the pause after the batcher has abandoned a batch. */
  void pause() {
    pausedUntilMillis = shared.timers().nowMillis() + shared.settings().maxBackoff().toMillis();
  }

  /** Returns the failure of the commands that were queued behind that batch. */
  RangeException abandonedBatchFailure() {
    return busyFailure("earlier commands to range " + id + " failed");
  }

  private RangeException busyFailure(String reason) {
    shared.observer().onBusy(id);
    return new RangeException(RangeException.Kind.BUSY, reason + "; retry later");
  }
}
