package io.fjordmq.broker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much of the data directory's disk is free. While that is little, nothing is taken that would
 * have to be stored here ({@link DiskCapacity}), but what makes room still is (acknowledgements,
 * the end of sessions): on a full disk not even those could be recorded. Says so once when that
 * begins and once when it ends.
 *
 * <p>Asks the storages, too, whether what failed on a full disk works again. {@link #look} may
 * block and belongs to one thread; everything else to any.
 */
final class DiskWatch {
  private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);

  /** How much more than the least must be free before more is stored, lest it flaps. */
  private static final int MARGIN_SHARE = 8;

  /** Bytes that this process may still write. */
  @FunctionalInterface
  interface FreeSpace {
    long bytes() throws IOException;
  }

  private final Path directory;
  private final FreeSpace space;
  private final long minFreeBytes;
  private final List<Runnable> retries;
  private boolean unreadable;
  private volatile long freeBytes;
  private volatile boolean low;

  /**
   * @param minFreeBytes below which the disk is low; 0: never
   * @param retries each tries to write again where writing has failed
   */
  DiskWatch(Path directory, FreeSpace space, long minFreeBytes, List<Runnable> retries) {
    this.directory = directory;
    this.space = space;
    this.minFreeBytes = minFreeBytes;
    this.retries = retries;
  }

  /** To be called from time to time. */
  void look() {
    try {
      judge(space.bytes());
      unreadable = false;
    } catch (IOException e) {
      if (!unreadable) {
        LOG.warn("Cannot read the free disk space: {} directory={}", e.toString(), directory);
      }
      unreadable = true;
    }
    retries.forEach(Runnable::run);
  }

  private void judge(long free) {
    freeBytes = free;
    boolean wasLow = low;
    low = free < (wasLow ? minFreeBytes + minFreeBytes / MARGIN_SHARE : minFreeBytes);
    if (low && !wasLow) {
      LOG.error("{}", shortage());
    } else if (!low && wasLow) {
      LOG.info("Disk space is sufficient again directory={} freeMiB={}", directory, free >> 20);
    }
  }

  /** Whether more may be stored here. */
  boolean hasRoom() {
    return !low;
  }

  /** What {@link #look} saw last. */
  long freeBytes() {
    return freeBytes;
  }

  /** What an operator should be told; null if there is room. */
  @Nullable String shortage() {
    return low
        ? "the disk of "
            + directory
            + " has "
            + (freeBytes >> 20)
            + " MiB free, less than diskConfig.minFreeBytes ("
            + (minFreeBytes >> 20)
            + " MiB): messages that have to be stored are refused where other nodes cannot store"
            + " them; free some, the node recovers by itself"
        : null;
  }
}
