package io.fjordmq.cluster.consensus.transport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the free disk space before a snapshot is fetched. After a refusal, the snapshot is not
 * requested again for a while, so that its source does not have to keep it. Thread-safe.
 */
public final class SnapshotSpace {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotSpace.class);
  private static final Duration REFUSAL_DURATION = Duration.ofSeconds(30);

  private final long reserve;
  private final LongSupplier nanos;
  private final Map<Path, Refusal> refusals = new ConcurrentHashMap<>();

  private record Refusal(String reason, long sinceNanos) {}

  /**
   * @param reserve bytes that must stay free
   */
  public SnapshotSpace(long reserve, LongSupplier nanos) {
    this.reserve = reserve;
    this.nanos = nanos;
  }

  /** Returns why the last snapshot was refused; null if the next attempt may be made. */
  @Nullable String recentRefusal(Path directory) {
    Refusal last = refusals.get(directory);
    if (last == null || nanos.getAsLong() - last.sinceNanos > REFUSAL_DURATION.toNanos()) {
      return null;
    }
    return last.reason;
  }

  /**
   * Requires space for the files of the snapshot and for the rows in the database, which the
   * installation writes from them.
   *
   * @param kept bytes of the snapshot that are already on the disk
   * @throws SnapshotGoneException if there is not enough free space
   */
  void require(Path directory, long total, long kept) throws IOException {
    long needed = 2 * total - kept;
    long usable = Files.getFileStore(directory).getUsableSpace();
    if (usable - needed >= reserve) {
      refusals.remove(directory);
      return;
    }
    String reason =
        "not enough disk space for a snapshot of %d bytes: fetching and installing needs %d bytes, %d must stay free (raftPortConfig.snapshotReserveBytes), %d are free; free disk space; the fetch is retried automatically"
            .formatted(total, needed, reserve, usable);
    LOG.warn("Snapshot refused: {} directory={}", reason, directory);
    refusals.put(directory, new Refusal(reason, nanos.getAsLong()));
    throw new SnapshotGoneException(reason);
  }
}
