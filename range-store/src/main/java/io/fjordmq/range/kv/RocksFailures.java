package io.fjordmq.range.kv;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Translates RocksDB errors into {@link KvException}, and tracks whether RocksDB accepts writes.
 *
 * <p>It observes writes and flushes instead of RocksDB's event listeners, because the Java binding
 * (10.10.1) does not know RocksDB's flush reason for storage without a write-ahead log, and throws
 * in RocksDB's thread.
 */
final class RocksFailures {
  private static final Logger LOG = LoggerFactory.getLogger(RocksFailures.class);

  private final Path directory;
  private volatile @Nullable KvException current;

  RocksFailures(Path directory) {
    this.directory = directory;
  }

  /** Returns the failure of the last write or flush, or null if it succeeded. */
  @Nullable KvException current() {
    return current;
  }

  /** Must be called after every successful write and flush. */
  void onWriteSucceeded() {
    if (current != null) {
      current = null;
      LOG.info("State storage accepts writes again directory={}", directory);
    }
  }

  /** Must be called with every failed write or flush. */
  KvException onWriteFailed(String what, RocksDBException cause) {
    KvException failure = translate(what, cause);
    if (current == null) {
      LOG.error("State storage rejects writes: {}", failure.getMessage());
    }
    current = failure;
    return failure;
  }

  KvException translate(String what, RocksDBException cause) {
    KvException.Kind kind = kind(cause.getStatus(), String.valueOf(cause.getMessage()));
    String message = what + " in " + directory + ": " + cause.getMessage() + advice(kind);
    return new KvException(kind, message, cause);
  }

  private static KvException.Kind kind(@Nullable Status status, String text) {
    if ((status != null && status.getSubCode() == Status.SubCode.NoSpace)
        || text.contains("No space left")) {
      return KvException.Kind.DISK_FULL;
    }
    if (text.contains("lock hold by") || text.contains("While lock file")) {
      return KvException.Kind.LOCKED;
    }
    if (status != null && status.getCode() == Status.Code.Incomplete) {
      return KvException.Kind.TOO_MANY_TOMBSTONES;
    }
    if (status != null && status.getCode() == Status.Code.Corruption) {
      return KvException.Kind.CORRUPTED;
    }
    return KvException.Kind.IO_ERROR;
  }

  private static String advice(KvException.Kind kind) {
    return switch (kind) {
      case DISK_FULL -> "; free disk space; writes resume automatically";
      case LOCKED ->
          "; another process uses this directory; stop it or configure a different directory";
      case CORRUPTED -> "; restore this node's state from its peers";
      default -> "";
    };
  }
}
