package io.fjordmq.broker.backup;

import io.fjordmq.broker.backup.BackupRefusedException.Kind;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.LevelRecord;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.store.RangeExports;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes backups of the cluster on this node, one at a time, and reads ranges of this node for
 * backups of other nodes. Thread-safe; only {@link #close} blocks.
 */
public final class Backups implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Backups.class);
  private static final long METADATA_SECONDS = 10;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

  private final Dependencies dependencies;
  private final RangeSource source;
  private @Nullable BackupJob job;
  private @Nullable Thread thread;
  private boolean closed;

  /**
   * @param cluster id of the cluster
   * @param version version of the program
   * @param ranges the current ranges of a store, in key order
   * @param exports reads the ranges of this node
   * @param minFreeBytes free disk space that a backup leaves
   */
  public record Dependencies(
      String cluster,
      String version,
      NodeId self,
      Function<String, List<RangeDescriptor>> ranges,
      RangeExports exports,
      MetadataClient metadata,
      PeerNetwork peers,
      LongSupplier minFreeBytes) {}

  private Backups(Dependencies dependencies) {
    this.dependencies = dependencies;
    this.source = new RangeSource(dependencies.exports);
  }

  /** Starts responding to other nodes. */
  public static Backups start(Dependencies dependencies) {
    Backups backups = new Backups(dependencies);
    backups.source.serve(dependencies.peers);
    return backups;
  }

  /** The backup that is running on this node, or the last one. */
  public synchronized BackupStatus status() {
    return job == null ? BackupStatus.NONE : job.status();
  }

  /**
   * Starts a backup. Completes when it has begun; fails with {@link BackupRefusedException}.
   *
   * @param location a directory with an absolute path on this node, or object storage; must be
   *     empty or not exist
   * @param bytesPerSecond limits how fast data is read; 0 for no limit
   */
  public synchronized CompletableFuture<BackupStatus> start(
      BackupLocation location, long bytesPerSecond) {
    if (closed) {
      return refused(Kind.UNAVAILABLE, "the node is stopping");
    }
    if (thread != null && thread.isAlive()) {
      return refused(Kind.CONFLICT, "a backup is already running on this node");
    }
    CompletableFuture<BackupStatus> started = new CompletableFuture<>();
    thread = new Thread(() -> run(location, bytesPerSecond, started), "backup");
    thread.start();
    return started;
  }

  private static CompletableFuture<BackupStatus> refused(Kind kind, String message) {
    return CompletableFuture.failedFuture(new BackupRefusedException(kind, message));
  }

  private void run(
      BackupLocation location, long bytesPerSecond, CompletableFuture<BackupStatus> started) {
    BackupJob begun;
    try {
      begun = begin(location, bytesPerSecond);
    } catch (RuntimeException e) {
      started.completeExceptionally(e);
      return;
    }
    LOG.info("Backup started directory={}", location.target());
    started.complete(begun.status());
    begun.run();
  }

  private BackupJob begin(BackupLocation location, long bytesPerSecond) {
    MetadataView metadata = readMetadata();
    BackupWriter writer;
    try {
      writer = BackupWriter.create(location);
    } catch (IOException e) {
      throw new BackupRefusedException(Kind.DIRECTORY, String.valueOf(e.getMessage()));
    }
    BackupJob begun =
        new BackupJob(
            new BackupJob.Cluster(
                dependencies.cluster,
                dependencies.version,
                this::readLevel,
                new RangeReader.Nodes(dependencies.self, source, dependencies.peers),
                dependencies.ranges),
            metadata,
            writer,
            new ByteRateLimiter(bytesPerSecond, System::nanoTime),
            dependencies.minFreeBytes.getAsLong(),
            Instant.now());
    synchronized (this) {
      job = begun;
      if (closed) {
        begun.cancel();
      }
    }
    return begun;
  }

  private int readLevel() throws IOException {
    try {
      return LevelRecord.of(readMetadata()).level();
    } catch (BackupRefusedException e) {
      throw new IOException("cannot read the level of the cluster: " + e.getMessage(), e);
    }
  }

  private MetadataView readMetadata() {
    try {
      return dependencies.metadata.read().get(METADATA_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new BackupRefusedException(
          Kind.UNAVAILABLE, "the metadata is not available at the moment; try again");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BackupRefusedException(Kind.UNAVAILABLE, "interrupted");
    }
  }

  /**
   * Cancels the backup that is running on this node; its files are deleted.
   *
   * @throws BackupRefusedException CONFLICT if none is running
   */
  public synchronized BackupStatus cancel() {
    BackupJob running = job;
    if (running == null || running.status().state() != BackupStatus.State.RUNNING) {
      throw new BackupRefusedException(Kind.CONFLICT, "no backup is running on this node");
    }
    running.cancel();
    return running.status();
  }

  /** Cancels a running backup and waits for its end. */
  @Override
  public void close() {
    Thread running;
    synchronized (this) {
      closed = true;
      running = thread;
      if (job != null) {
        job.cancel();
      }
    }
    try {
      if (running != null) {
        running.join(STOP_TIMEOUT.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    source.close();
  }
}
