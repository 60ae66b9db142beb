package io.fjordmq.range.kv;

import io.fjordmq.common.OperationException;

/** Thrown if a storage operation failed. */
public final class KvException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, and what an operator can do. */
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

  public KvException(Kind kind, String message) {
    super(kind, message);
  }

  public KvException(Kind kind, String message, Throwable cause) {
    super(kind, message, cause);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
