package io.fjordmq.cluster.consensus;

import java.io.IOException;

/**
 * A state refuses to install a snapshot and is unchanged. Another snapshot, or the same one later,
 * may be accepted.
 */
public final class SnapshotRefusedException extends IOException {
  private static final long serialVersionUID = 1;

  public SnapshotRefusedException(String message) {
    super(message);
  }

  public SnapshotRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
