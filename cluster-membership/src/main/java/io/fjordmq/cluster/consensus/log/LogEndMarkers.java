package io.fjordmq.cluster.consensus.log;

import io.fjordmq.common.MalformedBytesException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records how far each group's log has been written and synced, in a file next to the log database.
 *
 * <p>After a crash, RocksDB replays its write-ahead log up to the first unreadable record. Usually
 * that is a torn write at the end, which was never acknowledged. If a disk error has damaged the
 * middle, all later records are lost just as silently, acknowledged or not. This file tells the two
 * cases apart.
 *
 * <p>It is written after the entries are synced, and is itself not synced: it survives a process
 * crash immediately and a host crash after some seconds, and is never ahead of the log.
 * Thread-safe.
 */
final class LogEndMarkers implements AutoCloseable {
  /*
   *   0        u64  'LOGENDS' and the version, 1
   *   8 * n    u64  index of the last entry of group number n (n starts at 1), 0 if none
   */
  private static final long HEADER = 0x4c4f_4745_4e44_5301L;

  private static final Logger LOG = LoggerFactory.getLogger(LogEndMarkers.class);

  private final Path path;
  private final RandomAccessFile file;
  private boolean failing;

  /** Opens the file, creating it if there is none. */
  static LogEndMarkers open(Path path) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    try {
      if (file.length() < Long.BYTES) {
        file.seek(0);
        file.writeLong(HEADER);
      } else if (file.readLong() != HEADER) {
        throw new MalformedBytesException("unknown file format, expected LOGENDS 1: " + path);
      }
      return new LogEndMarkers(path, file);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private LogEndMarkers(Path path, RandomAccessFile file) {
    this.path = path;
    this.file = file;
  }

  Path path() {
    return path;
  }

  /** Returns the index of the last entry that is known to be synced; 0 if none. */
  synchronized long syncedIndex(long group) throws IOException {
    long at = group * Long.BYTES;
    if (file.length() < at + Long.BYTES) {
      return 0;
    }
    file.seek(at);
    return file.readLong();
  }

  /**
   * Records that the log is synced up to this entry. A failure is only logged, because it merely
   * makes the check less strict.
   */
  synchronized void recordEnd(long group, long index) {
    try {
      write(group, index);
      failing = false;
    } catch (IOException e) {
      if (!failing) {
        LOG.warn(
            "Cannot update the log end marker; a corrupt log may go undetected path={}", path, e);
      }
      failing = true;
    }
  }

  /**
   * Records that the log is about to be truncated after this entry. The record is durable when this
   * method returns.
   */
  synchronized void recordTruncation(long group, long index) throws IOException {
    if (syncedIndex(group) > index) {
      write(group, index);
      file.getFD().sync();
    }
  }

  private void write(long group, long index) throws IOException {
    file.seek(group * Long.BYTES);
    file.write(LogKeys.u64(index)); // one write: a partial number could be ahead of the log
  }

  @Override
  public synchronized void close() {
    try {
      file.getFD().sync();
      file.close();
    } catch (IOException e) {
      LOG.warn("Failed to close the log end marker path={}", path, e);
    }
  }
}
