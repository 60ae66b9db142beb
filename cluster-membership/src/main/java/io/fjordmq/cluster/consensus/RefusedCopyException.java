package io.fjordmq.cluster.consensus;

import java.io.IOException;

/**
 * A state does not take a copy as things are, and nothing of it has changed. Another copy, or the
 * same one at another time, may do.
 */
public final class RefusedCopyException extends IOException {
  private static final long serialVersionUID = 1;

  public RefusedCopyException(String message) {
    super(message);
  }

  public RefusedCopyException(String message, Throwable cause) {
    super(message, cause);
  }
}
