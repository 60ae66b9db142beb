package io.fjordmq.cluster.consensus;

import java.io.IOException;

/** The snapshot cannot be fetched: it was withdrawn, its export failed, or it does not fit. */
final class SnapshotGoneException extends IOException {
  private static final long serialVersionUID = 1;

  SnapshotGoneException(String message) {
    super(message);
  }
}
