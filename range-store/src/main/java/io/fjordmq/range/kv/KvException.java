package io.fjordmq.range.kv;

/** The storage could not do what was asked. */
public final class KvException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What the operator can do. */
  public enum Kind {
    /** No space left on the device: free some; writes go on by themselves. */
    DISK_FULL,
    /** The device or file system failed. */
    IO_ERROR,
    /** Files do not hold what they should: restore this node's state from its peers. */
    CORRUPTED,
    /** Another process uses the directory. */
    LOCKED,
    /** It was used after it was closed. */
    CLOSED,
    /** A bounded read would have stepped over too many deleted rows; nothing is wrong. */
    TOO_MANY_TOMBSTONES
  }

  private final Kind kind;

  public KvException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public KvException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
