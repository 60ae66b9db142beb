package io.fjordmq.range;

/** Why a range did not answer. */
public final class RangeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What the caller can conclude. */
  public enum Kind {
    /** No leader answered before the deadline; a mutation may or may not be applied. */
    UNAVAILABLE,
    /** Too much waits in this node, or what was sent before had no answer; nothing was sent. */
    BUSY,
    /** The command is larger than a log entry may be; nothing was sent. */
    TOO_LARGE,
    /** The storage below failed (disk full, I/O error); a mutation may or may not be applied. */
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
