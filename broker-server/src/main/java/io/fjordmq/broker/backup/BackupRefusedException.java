package io.fjordmq.broker.backup;

import io.fjordmq.common.OperationException;

/** Thrown if a backup cannot be started. The message is for the operator. */
public final class BackupRefusedException extends OperationException {
  private static final long serialVersionUID = 1;

  /** Why it cannot be started. */
  public enum Kind {
    /** The directory cannot be used. */
    DIRECTORY,
    /** Another backup is running on this node, or none is running that could be canceled. */
    CONFLICT,
    /** The metadata is not available, or the node is stopping. */
    UNAVAILABLE
  }

  BackupRefusedException(Kind kind, String message) {
    super(kind, message);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
