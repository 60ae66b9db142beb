package io.fjordmq.cluster.consensus;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the log database takes writes: one line in the log when it stops, one when it goes on,
 * instead of one per group and attempt. Thread-safe.
 */
final class LogHealth {
  private static final Logger LOG = LoggerFactory.getLogger(LogHealth.class);

  private final Path directory;
  private volatile @Nullable String failure;

  LogHealth(Path directory) {
    this.directory = directory;
  }

  /** Why the last write failed, null if it did not. */
  @Nullable String failure() {
    return failure;
  }

  void writeWorked() {
    if (failure != null) {
      failure = null;
      LOG.info("the Raft log takes writes again: directory={}", directory);
    }
  }

  void writeFailed(RocksDBException cause) {
    String text =
        "the Raft log in " + directory + " takes no writes: " + cause.getMessage() + advice(cause);
    if (failure == null) {
      LOG.error(text);
    }
    failure = text;
  }

  private static String advice(RocksDBException cause) {
    Status status = cause.getStatus();
    boolean full =
        (status != null && status.getSubCode() == Status.SubCode.NoSpace)
            || String.valueOf(cause.getMessage()).contains("No space left");
    return full
        ? "; free some space, the node goes on by itself"
        : "; mend the disk, then restart the node";
  }
}
