package io.fjordmq.cluster.consensus;

import java.io.IOException;

/** The other node cannot serve the copy: it was withdrawn, or making it failed. */
final class SnapshotGoneException extends IOException {
  private static final long serialVersionUID = 1;

  SnapshotGoneException(String message) {
    super(message);
  }
}
