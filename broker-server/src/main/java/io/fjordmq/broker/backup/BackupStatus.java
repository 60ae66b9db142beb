package io.fjordmq.broker.backup;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last backup of a node.
 *
 * @param directory null if there was none since the node started
 * @param startedAt null if there was none
 * @param finishedAt null while it runs
 * @param bytes size of the keys and values that were read
 * @param problem why it failed; null if it did not
 */
public record BackupStatus(
    State state,
    @Nullable String directory,
    @Nullable Instant startedAt,
    @Nullable Instant finishedAt,
    int rangesDone,
    int rangesTotal,
    long bytes,
    @Nullable String problem) {
  /** The states of a backup. */
  public enum State {
    NONE,
    RUNNING,
    DONE,
    FAILED,
    CANCELED
  }

  static final BackupStatus NONE = new BackupStatus(State.NONE, null, null, null, 0, 0, 0, null);
}
