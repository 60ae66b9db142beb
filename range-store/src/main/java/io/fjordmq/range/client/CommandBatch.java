package io.fjordmq.range.client;

import java.util.ArrayList;
import java.util.List;

/** Commands that are sent together under one number. Guarded by its batcher. */
final class CommandBatch {
  private final List<PendingCommand> commands;
  private final long firstSentNanos;

  /** Assigned once the range has given the client a sender number. */
  private long number;

  /** Whether the leader may append it a few milliseconds later, together with other batches. */
  private boolean deferrable;

  private int attempt;
  private long attemptedAtMillis;

  CommandBatch(List<PendingCommand> commands, long firstSentNanos) {
    this.commands = commands;
    this.firstSentNanos = firstSentNanos;
  }

  List<PendingCommand> commands() {
    return commands;
  }

  List<byte[]> bytes() {
    List<byte[]> bytes = new ArrayList<>(commands.size());
    commands.forEach(command -> bytes.add(command.bytes()));
    return bytes;
  }

  long commandBytes() {
    long bytes = 0;
    for (PendingCommand command : commands) {
      bytes += command.bytes().length;
    }
    return bytes;
  }

  long firstSentNanos() {
    return firstSentNanos;
  }

  /** Commands are queued in the order of their deadlines, so the last one has the latest. */
  long deadlineMillis() {
    return commands.get(commands.size() - 1).deadlineMillis();
  }

  long number() {
    return number;
  }

  void assignNumber(long assigned) {
    number = assigned;
  }

  boolean isDeferrable() {
    return deferrable;
  }

  void allowDeferring() {
    deferrable = true;
  }

  /** Returns the number of the current attempt, from 1; identifies replies to older attempts. */
  int attempt() {
    return attempt;
  }

  void beginAttempt(long nowMillis) {
    attempt++;
    attemptedAtMillis = nowMillis;
  }

  /**
   * Returns whether the current attempt got no reply in time. A batch that waits for its backoff is
   * resent long before that.
   */
  boolean isOverdue(long nowMillis, RangeClientSettings settings) {
    return nowMillis - attemptedAtMillis >= settings.attemptTimeout().toMillis();
  }
}
