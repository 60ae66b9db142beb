package io.fjordmq.range;

import io.fjordmq.common.OperationException;

/** Thrown if a command or query failed. The kind tells whether a mutation may have been applied. */
public final class RangeException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure. */
  public enum Kind {
    /** No leader responded before the deadline; a mutation may or may not have been applied. */
    UNAVAILABLE,
    /** Too many commands are queued on this node, or an earlier batch failed; nothing was sent. */
    BUSY,
    /** The command exceeds the maximum size of a log entry; nothing was sent. */
    TOO_LARGE,
    /** Storage failed (disk full, I/O error); a mutation may or may not have been applied. */
    STORAGE_FAILED,
    /** The store is closing. */
    CLOSED
  }

  public RangeException(Kind kind, String message) {
    super(kind, message);
  }

  public RangeException(Kind kind, String message, Throwable cause) {
    super(kind, message, cause);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
