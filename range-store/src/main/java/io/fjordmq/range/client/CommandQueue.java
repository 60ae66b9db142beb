package io.fjordmq.range.client;

import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bounded queue of commands that wait behind the batch in flight. It refuses commands beyond its
 * limits, and all commands for a short time after its batcher has abandoned a batch. During this
 * pause, callers that send in order notice the failure and stop; otherwise a later command could be
 * applied before an earlier one that they are about to repeat. Guarded by its batcher.
 */
final class CommandQueue {
  private final RangeId id;
  private final ClientDependencies shared;
  private final int maxCommands;
  private final long maxBytes;
  private final int maxBatchCommands;
  private final long maxBatchBytes;
  private final ArrayDeque<PendingCommand> commands = new ArrayDeque<>();
  private long bytes;
  private long pausedUntilMillis = Long.MIN_VALUE;

  CommandQueue(RangeId id, ClientDependencies shared) {
    this.id = id;
    this.shared = shared;
    RangeClientSettings settings = shared.settings();
    this.maxCommands = settings.maxQueuedCommands();
    this.maxBytes = settings.maxQueuedBytes();
    this.maxBatchCommands = settings.maxBatchCommands();
    this.maxBatchBytes = settings.maxBatchBytes();
  }

  /** Returns the reason to refuse the command; null if it may be added. */
  @Nullable RangeException refusal(PendingCommand command) {
    if (shared.timers().nowMillis() < pausedUntilMillis) {
      return busyFailure("an earlier command to range " + id + " has just failed");
    }
    return commands.size() < maxCommands && bytes + command.bytes().length <= maxBytes
        ? null
        : busyFailure("the queue for range %s is full (%d commands)".formatted(id, size()));
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

  /** Adds a command, regardless of the limits. */
  void add(PendingCommand command) {
    commands.add(command);
    bytes += command.bytes().length;
  }

  /** Puts commands back at the head of the queue, regardless of its limits. */
  void putBack(List<PendingCommand> returned) {
    for (int i = returned.size() - 1; i >= 0; i--) {
      commands.addFirst(returned.get(i));
      bytes += returned.get(i).bytes().length;
    }
  }

  boolean isEmpty() {
    return commands.isEmpty();
  }

  int size() {
    return commands.size();
  }

  long bytes() {
    return bytes;
  }

  /** Removes the first commands: as many as fit into a batch, but at least one. */
  List<PendingCommand> takeBatch() {
    List<PendingCommand> batch = new ArrayList<>();
    long batchBytes = RangeEntry.MUTATIONS_OVERHEAD;
    while (!commands.isEmpty() && batch.size() < maxBatchCommands) {
      int length = commands.element().bytes().length;
      batchBytes += length + RangeEntry.COMMAND_OVERHEAD;
      if (!batch.isEmpty() && batchBytes > maxBatchBytes) {
        break;
      }
      batch.add(commands.remove());
      bytes -= length;
    }
    return batch;
  }

  List<PendingCommand> takeAll() {
    List<PendingCommand> all = new ArrayList<>(commands);
    commands.clear();
    bytes = 0;
    return all;
  }
}
