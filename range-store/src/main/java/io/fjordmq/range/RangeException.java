package io.fjordmq.range;

/** Failure of a command or query; its kind determines what the caller can conclude. */
public final class RangeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What the caller can conclude. */
  public enum Kind {
    /** No leader answered before the deadline; a mutation may or may not have been applied. */
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

  private final Kind kind;

  public RangeException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public RangeException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
