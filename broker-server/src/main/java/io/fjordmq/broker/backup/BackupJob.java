package io.fjordmq.broker.backup;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.store.RowFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one backup: the metadata, then range after range. Each range is read at one applied index,
 * from this node if it has a replica, otherwise from one of its voters. {@link #run} blocks; the
 * other methods may be called by any thread.
 */
final class BackupJob {
  private static final Logger LOG = LoggerFactory.getLogger(BackupJob.class);
  private static final int ATTEMPTS = 30;
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long SPACE_CHECK_BYTES = 16 << 20;

  /**
   * The cluster.
   *
   * @param id id of the cluster
   * @param version version of the program
   * @param level reads the level of the cluster from its metadata, and blocks
   * @param ranges the current ranges of a store, in key order
   */
  record Cluster(
      String id,
      String version,
      LevelReader level,
      RangeReader.Nodes nodes,
      Function<String, List<RangeDescriptor>> ranges) {}

  /** Reads a level that is not older than the call. */
  interface LevelReader {
    int read() throws IOException;
  }

  private final Cluster cluster;
  private final MetadataView metadata;
  private final BackupWriter writer;
  private final ByteRateLimiter rate;
  private final long minFreeBytes;
  private final Instant started;
  private final List<BackupRange> done = new ArrayList<>();
  private long uncheckedBytes;
  private volatile boolean canceled;
  private volatile BackupStatus status;

  /**
   * @param minFreeBytes the backup fails if less space is left on its file system
   */
  BackupJob(
      Cluster cluster,
      MetadataView metadata,
      BackupWriter writer,
      ByteRateLimiter rate,
      long minFreeBytes,
      Instant started) {
    this.cluster = cluster;
    this.metadata = metadata;
    this.writer = writer;
    this.rate = rate;
    this.minFreeBytes = minFreeBytes;
    this.started = started;
    this.status =
        new BackupStatus(
            BackupStatus.State.RUNNING,
            writer.location(),
            started,
            null,
            0,
            totalRanges(0),
            0,
            null);
  }

  BackupStatus status() {
    return status;
  }

  /** Ends the backup soon, without a result. */
  void cancel() {
    canceled = true;
  }

  /** Writes the backup. Never throws; {@link #status} has the outcome. */
  void run() {
    try {
      BackupFile records = writer.write(BackupFile.name("metadata", 1), this::writeMetadata);
      for (String store : Manifest.STORES) {
        writeStore(store);
      }
      int level = readLevel();
      writer.finish(
          new Manifest(
              cluster.id,
              cluster.version,
              level,
              started,
              Instant.now(),
              MetadataSelection.nodes(metadata),
              records,
              done));
      end(BackupStatus.State.DONE, null);
      LOG.info(
          "Backup complete directory={} ranges={} bytes={}",
          writer.location(),
          done.size(),
          status.bytes());
    } catch (CancellationException e) {
      LOG.info("Backup canceled directory={}", writer.location());
      discard(BackupStatus.State.CANCELED, null);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Backup failed: {} directory={}", e.getMessage(), writer.location());
      LOG.debug("Backup failed", e);
      discard(BackupStatus.State.FAILED, String.valueOf(e.getMessage()));
    } finally {
      writer.close();
    }
  }

  /**
   * Comes after the rows. The level never falls, so none of them was written at a higher one, even
   * if it was raised during the backup.
   */
  private int readLevel() throws IOException {
    IOException last = new IOException("the level of the cluster was not read");
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return cluster.level.read();
      } catch (IOException e) {
        last = e;
        pauseBeforeRetry();
      }
    }
    throw last;
  }

  private void writeMetadata(RowFile.RowVisitor rows) throws IOException {
    for (MetadataRecord record : MetadataSelection.of(metadata)) {
      rows.visit(record.key().getBytes(StandardCharsets.UTF_8), record.value());
    }
  }

  /** Writes ranges until all keys of the store are covered, whatever splits and merges happen. */
  private void writeStore(String store) throws IOException {
    byte @Nullable [] from = new byte[0];
    while (from != null) {
      BackupRange written = writeRange(store, from);
      done.add(written);
      from = written.keys().end();
      progress(0);
    }
  }

  private BackupRange writeRange(String store, byte[] from) throws IOException {
    String name = BackupFile.name(store, done.size() + 1);
    IOException last = new IOException("store " + store + " has no range for some of its keys");
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      for (RangeDescriptor range : find(store, from)) {
        for (NodeId node : nodesOf(range)) {
          try (RangeReader reader = RangeReader.open(cluster.nodes, node, range.id())) {
            return write(name, from, reader);
          } catch (BackupException e) {
            throw e;
          } catch (IOException e) {
            last = e;
          }
        }
      }
      LOG.info("Retrying the backup of a range: {} store={}", last.getMessage(), store);
      pauseBeforeRetry();
    }
    throw last;
  }

  /** The range that contains the key, unless it is not known at the moment. */
  private List<RangeDescriptor> find(String store, byte[] key) {
    return cluster.ranges.apply(store).stream()
        .filter(range -> range.interval().contains(key))
        .limit(1)
        .toList();
  }

  /** Begins with this node, which needs no network. */
  private List<NodeId> nodesOf(RangeDescriptor range) {
    NodeId self = cluster.nodes.self();
    Stream<NodeId> own = cluster.nodes.source().has(range.id()) ? Stream.of(self) : Stream.empty();
    Stream<NodeId> others =
        range.replicas().voters().stream()
            .filter(node -> !node.equals(self))
            .sorted(Comparator.comparing(NodeId::value));
    return Stream.concat(own, others).toList();
  }

  private BackupRange write(String name, byte[] from, RangeReader reader) throws IOException {
    ExportedRange exported = reader.range();
    RangeDescriptor range = exported.descriptor();
    if (!range.interval().contains(from)) {
      throw new IOException("range " + range.id() + " was split; its new parts are not known yet");
    }
    // A merge in the meantime may have added keys before these, which the backup has already.
    KeyInterval keys = range.interval().startingAt(from);
    BackupFile file =
        writer.write(
            name,
            rows -> {
              boolean hasMore = true;
              while (hasMore) {
                RowBlock block = reader.next();
                block.visit(
                    (key, value) -> {
                      if (Arrays.compareUnsigned(key, from) >= 0) {
                        rows.visit(key, value);
                      }
                    });
                progress(block.rows().length);
                hasMore = block.hasMore();
              }
            });
    return new BackupRange(
        file, range.id(), range.epoch().version(), exported.appliedIndex(), keys);
  }

  private void progress(long bytes) throws IOException {
    if (canceled) {
      throw new CancellationException();
    }
    status =
        new BackupStatus(
            BackupStatus.State.RUNNING,
            status.directory(),
            started,
            null,
            done.size(),
            totalRanges(done.size()),
            status.bytes() + bytes,
            null);
    uncheckedBytes += bytes;
    if (uncheckedBytes >= SPACE_CHECK_BYTES) {
      uncheckedBytes = 0;
      requireSpace();
    }
    rate.pauseAfter(bytes, () -> canceled);
  }

  private void requireSpace() throws IOException {
    long free = writer.freeBytes();
    if (free < minFreeBytes) {
      throw new BackupException(
          "%d bytes are free on the file system of %s; a backup leaves %d (diskConfig.minFreeBytes)"
              .formatted(free, writer.location(), minFreeBytes));
    }
  }

  private int totalRanges(int atLeast) {
    int known =
        Manifest.STORES.stream().mapToInt(store -> cluster.ranges.apply(store).size()).sum();
    return Math.max(known, atLeast);
  }

  private void pauseBeforeRetry() {
    long until = System.nanoTime() + RETRY_NANOS;
    while (System.nanoTime() < until && !canceled) {
      LockSupport.parkNanos(RETRY_NANOS / 10);
    }
    if (canceled) {
      throw new CancellationException();
    }
  }

  private void discard(BackupStatus.State state, @Nullable String problem) {
    try {
      writer.discard();
    } catch (IOException e) {
      LOG.warn("Cannot delete the files of a failed backup: {}", e.toString());
    }
    end(state, problem);
  }

  private void end(BackupStatus.State state, @Nullable String problem) {
    status =
        new BackupStatus(
            state,
            status.directory(),
            started,
            Instant.now(),
            done.size(),
            totalRanges(done.size()),
            status.bytes(),
            problem);
  }
}
