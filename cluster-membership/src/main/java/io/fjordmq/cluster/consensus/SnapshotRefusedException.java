package io.fjordmq.cluster.consensus;

import java.io.IOException;

/**
 * A state does not take a copy as things are, and nothing of it has changed. Another copy, or the
 * same one at another time, may do.
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
