package io.fjordmq.broker.backup;

import java.io.IOException;

/**
 * Thrown if a backup is incomplete, damaged or written by a newer version, or if its storage cannot
 * be used. A retry does not help. The message is for the operator.
 */
public final class BackupException extends IOException {
  private static final long serialVersionUID = 1;

  public BackupException(String message) {
    super(message);
  }

  public BackupException(String message, Throwable cause) {
    super(message, cause);
  }
}
