package io.fjordmq.cluster.consensus;

import java.io.IOException;

/**
 * Thrown if a state refuses to install a snapshot; the state is unchanged. It may accept another
 * snapshot, or the same one later.
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
