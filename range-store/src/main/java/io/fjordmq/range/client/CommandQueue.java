package io.fjordmq.range.client;

import io.fjordmq.range.RangeEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Bounded queue of commands that wait behind the batch in flight. Guarded by its batcher. */
final class CommandQueue {
  private final int maxCommands;
  private final long maxBytes;
  private final int maxBatchCommands;
  private final long maxBatchBytes;
  private final ArrayDeque<PendingCommand> commands = new ArrayDeque<>();
  private long bytes;

  CommandQueue(RangeClientSettings settings) {
    this.maxCommands = settings.maxQueuedCommands();
    this.maxBytes = settings.maxQueuedBytes();
    this.maxBatchCommands = settings.maxBatchCommands();
    this.maxBatchBytes = settings.maxBatchBytes();
  }

  boolean canAccept(PendingCommand command) {
    return commands.size() < maxCommands && bytes + command.bytes().length <= maxBytes;
  }

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
