package io.fjordmq.broker.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the free space of the data directory's disk. While space is low, the node refuses
 * messages that must be stored ({@link DiskCapacity}) but still accepts writes that free space,
 * such as acknowledgements and the end of sessions; a completely full disk could not record even
 * those. Logs one line when the shortage begins and one when it ends.
 *
 * <p>It also makes the storage engines retry writes that failed because the disk was full. {@link
 * #measure} may block and must be called by a single thread; all other methods are thread-safe.
 */
final class DiskWatch {
  private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);

  /** Hysteresis: the shortage ends only when the free space exceeds the threshold by one eighth. */
  private static final int MARGIN_DIVISOR = 8;

  /** Measures the number of bytes that this process can still write. */
  @FunctionalInterface
  interface FreeSpace {
    long bytes() throws IOException;

    /** The size of the file system in bytes; 0 if unknown. */
    default long totalBytes() throws IOException {
      return 0;
    }
  }

  private final Path directory;
  private final FreeSpace space;
  private volatile long minFreeBytes;
  private final List<Runnable> retries;
  private boolean unreadable;
  private volatile long freeBytes;
  private volatile long totalBytes;
  private volatile boolean low;

  /**
   * @param minFreeBytes the threshold for low disk space; 0 to disable the check
   * @param retries actions that each make a storage engine retry failed writes
   */
  DiskWatch(Path directory, FreeSpace space, long minFreeBytes, List<Runnable> retries) {
    this.directory = directory;
    this.space = space;
    this.minFreeBytes = minFreeBytes;
    this.retries = retries;
  }

  /**
   * Measures the free space and makes the storage engines retry failed writes; called periodically.
   */
  void measure() {
    try {
      totalBytes = space.totalBytes();
      update(space.bytes());
      unreadable = false;
    } catch (IOException e) {
      if (!unreadable) {
        LOG.warn(
            "Cannot determine the free disk space; check the data directory: {} directory={}",
            e.toString(),
            directory);
      }
      unreadable = true;
    }
    retries.forEach(Runnable::run);
  }

  private void update(long free) {
    freeBytes = free;
    boolean wasLow = low;
    low = free < (wasLow ? minFreeBytes + minFreeBytes / MARGIN_DIVISOR : minFreeBytes);
    if (low && !wasLow) {
      LOG.error("Low disk space: {}", shortage());
    } else if (!low && wasLow) {
      LOG.info("Disk space is sufficient again directory={} freeMiB={}", directory, free >> 20);
    }
  }

  /** Applies a new threshold from the next measurement on. */
  void setMinFreeBytes(long bytes) {
    minFreeBytes = bytes;
  }

  /** Whether there is enough free space. */
  boolean hasFreeSpace() {
    return !low;
  }

  /** The latest measurement. */
  long freeBytes() {
    return freeBytes;
  }

  /** The size of the file system at the latest measurement; 0 if unknown. */
  long totalBytes() {
    return totalBytes;
  }

  /** A description of the shortage for the operator; null if there is none. */
  @Nullable String shortage() {
    return low
        ? "the disk of "
            + directory
            + " has "
            + (freeBytes >> 20)
            + " MiB free, less than diskConfig.minFreeBytes ("
            + (minFreeBytes >> 20)
            + " MiB): messages that must be stored are refused unless a majority of other nodes can"
            + " store them; free disk space, and the node recovers automatically"
        : null;
  }
}
