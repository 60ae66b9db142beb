package io.fjordmq.cluster.consensus.transport;

import java.io.IOException;

/**
 * Thrown if a snapshot cannot be fetched because it was withdrawn, its export failed, or it does
 * not fit on the disk.
 */
public final class SnapshotGoneException extends IOException {
  private static final long serialVersionUID = 1;

  public SnapshotGoneException(String message) {
    super(message);
  }
}
