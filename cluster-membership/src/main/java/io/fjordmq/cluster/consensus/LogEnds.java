package io.fjordmq.cluster.consensus;

import io.fjordmq.api.MalformedBytesException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far the log of each group has been written and synced, in a file beside the log database.
 *
 * <p>After a crash RocksDB takes back its write-ahead file up to the first record that it cannot
 * read. Mostly that is the torn end, which nobody was promised. If a medium has damaged the middle,
 * all that follows is gone as quietly, promised or not; what is noted here tells the two apart.
 *
 * <p>Notes are written after the entries are synced and are not synced themselves: they survive the
 * end of the process at once and that of the machine after some seconds, and are never ahead of the
 * log. Thread-safe.
 */
final class LogEnds implements AutoCloseable {
  /*
   *   0        u64  'LOGENDS' and the version, 1
   *   8 * n    u64  index of the last entry of group number n (numbers begin with 1), 0 if none
   */
  private static final long HEADER = 0x4c4f_4745_4e44_5301L;

  private static final Logger LOG = LoggerFactory.getLogger(LogEnds.class);

  private final Path path;
  private final RandomAccessFile file;
  private boolean failing;

  /** Opens the file, creating it if there is none. */
  static LogEnds open(Path path) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    try {
      if (file.length() < Long.BYTES) {
        file.seek(0);
        file.writeLong(HEADER);
      } else if (file.readLong() != HEADER) {
        throw new MalformedBytesException(path + " is not of a form this version reads");
      }
      return new LogEnds(path, file);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private LogEnds(Path path, RandomAccessFile file) {
    this.path = path;
    this.file = file;
  }

  Path path() {
    return path;
  }

  /** The last entry that is known to have been synced; 0 if none is. */
  synchronized long of(long group) throws IOException {
    long at = group * Long.BYTES;
    if (file.length() < at + Long.BYTES) {
      return 0;
    }
    file.seek(at);
    return file.readLong();
  }

  /** The log ends with this entry now, which is synced. Failing costs a check, not an entry. */
  synchronized void reached(long group, long index) {
    try {
      write(group, index);
      failing = false;
    } catch (IOException e) {
      if (!failing) {
        LOG.warn(
            "Cannot update the log end marker; a damaged log may go unnoticed path={}", path, e);
      }
      failing = true;
    }
  }

  /** The log is about to be cut after this entry: durable when it returns. */
  synchronized void cut(long group, long index) throws IOException {
    if (of(group) > index) {
      write(group, index);
      file.getFD().sync();
    }
  }

  private void write(long group, long index) throws IOException {
    file.seek(group * Long.BYTES);
    file.write(LogKeys.u64(index)); // in one piece: half of it could be ahead of the log
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
