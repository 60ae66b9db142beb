package io.fjordmq.broker.backup;

import java.io.IOException;

/** Thrown if a backup is incomplete, damaged or written by a newer version. */
public final class BackupException extends IOException {
  private static final long serialVersionUID = 1;

  BackupException(String message) {
    super(message);
  }

  BackupException(String message, Throwable cause) {
    super(message, cause);
  }
}
