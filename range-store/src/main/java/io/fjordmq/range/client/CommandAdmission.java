package io.fjordmq.range.client;

import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import org.jspecify.annotations.Nullable;

/**
 * Which commands a batcher takes in: none that its queue has no room for, and none for a moment
 * after a batch was given up. In that moment those who send in order notice and stop; a later
 * command must not be applied before an earlier one that they are about to repeat. Guarded by its
 * batcher.
 */
final class CommandAdmission {
  private final RangeId id;
  private final CommandQueue queue;
  private final ClientParts shared;
  private long pausedUntilMillis = Long.MIN_VALUE;

  CommandAdmission(RangeId id, CommandQueue queue, ClientParts shared) {
    this.id = id;
    this.queue = queue;
    this.shared = shared;
  }

  /** Why the command is not taken in; null if it is. */
  @Nullable RangeException refusal(PendingCommand command) {
    if (shared.timers().nowMillis() < pausedUntilMillis) {
      return busy("range " + id + " has just not answered");
    }
    return queue.hasRoomFor(command) ? null : busy(queue.size() + " commands wait for range " + id);
  }

  /** A batch was given up: begins the moment. */
  void pause() {
    pausedUntilMillis = shared.timers().nowMillis() + shared.settings().maxBackoff().toMillis();
  }

  /** What the commands are told that waited behind that batch. */
  RangeException afterLostBatch() {
    return busy("range " + id + " did not answer the commands before");
  }

  private RangeException busy(String reason) {
    shared.observer().refusedBusy(id);
    return new RangeException(RangeException.Kind.BUSY, reason + "; try again later");
  }
}
