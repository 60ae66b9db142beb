package io.fjordmq.range.kv;

/** A storage operation failed. */
public final class KvException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The cause, which determines what an operator can do. */
  public enum Kind {
    /** No space left on the device. Free some space; writes then resume automatically. */
    DISK_FULL,
    /** The device or file system failed. */
    IO_ERROR,
    /** Files are corrupted. Restore this node's state from its peers. */
    CORRUPTED,
    /** Another process uses the directory. */
    LOCKED,
    /** The storage was used after it was closed. */
    CLOSED,
    /** A bounded read would have skipped too many deleted rows. Not a fault. */
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
