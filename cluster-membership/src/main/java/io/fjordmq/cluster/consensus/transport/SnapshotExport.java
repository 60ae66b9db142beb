package io.fjordmq.cluster.consensus.transport;

import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import io.fjordmq.cluster.consensus.log.SnapshotDirectories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One snapshot of a state. It is exported on the first request and deleted when closed. */
public final class SnapshotExport {
  private static final int MAX_PART_BYTES = 16 << 20;

  /** {@code ReplicatedState.export}, unless the replica is closed. */
  @FunctionalInterface
  public interface Exporter {
    long export(Path directory) throws IOException;
  }

  private final Exporter exporter;
  private final CheckpointRecord checkpoint;
  private final Path directory;
  private final ReentrantLock exportLock = new ReentrantLock();
  private final Map<String, Long> served = new ConcurrentHashMap<>();
  private volatile @Nullable SnapshotManifest manifest;
  private volatile @Nullable IOException failure;
  private volatile boolean closed;

  SnapshotExport(Exporter exporter, CheckpointRecord checkpoint, Path directory) {
    this.exporter = exporter;
    this.checkpoint = checkpoint;
    this.directory = directory;
  }

  CheckpointRecord checkpoint() {
    return checkpoint;
  }

  /**
   * Exports the snapshot, which may take a long time. A failure is reported to the node that
   * requests the manifest.
   */
  void run() {
    exportLock.lock();
    try {
      requireOpen();
      manifest = export();
    } catch (IOException e) {
      failure = e;
    } catch (RuntimeException e) {
      failure = new IOException(e);
    } finally {
      exportLock.unlock();
      removeIfClosed();
    }
  }

  /** Returns null until the export is complete. */
  @Nullable SnapshotManifest manifest() throws IOException {
    requireOpen();
    IOException failed = failure;
    if (failed != null) {
      throw failed;
    }
    return manifest;
  }

  /** Returns the size of the export so far, in bytes. */
  long exportedBytes() {
    return SnapshotDirectories.size(directory);
  }

  /** Returns whether every byte has been read. */
  boolean isFullyRead() {
    SnapshotManifest currentManifest = manifest;
    return currentManifest != null
        && currentManifest.files().stream()
            .allMatch(file -> served.getOrDefault(file.name(), 0L) >= file.size());
  }

  private SnapshotManifest export() throws IOException {
    SnapshotDirectories.deleteRecursively(directory);
    Files.createDirectories(directory);
    long applied = exporter.export(directory);
    if (applied < checkpoint.applied()) {
      throw new IOException(
          "exported snapshot is too old: applied index "
              + applied
              + ", but the checkpoint covers "
              + checkpoint.applied());
    }
    return SnapshotManifest.of(directory, applied, checkpoint.meta());
  }

  /** Returns up to {@code count} bytes of a file; fewer only at its end. */
  byte[] read(String name, long offset, int count) throws IOException {
    requireOpen();
    SnapshotManifest currentManifest = manifest;
    if (currentManifest == null
        || currentManifest.files().stream().noneMatch(file -> file.name().equals(name))) {
      throw new IOException("snapshot has no file '" + name + "'");
    }
    try (FileChannel file = FileChannel.open(directory.resolve(name))) {
      int size = (int) Math.min(Math.min(count, MAX_PART_BYTES), file.size() - offset);
      ByteBuffer part = ByteBuffer.allocate(Math.max(size, 0));
      while (part.hasRemaining() && file.read(part, offset + part.position()) >= 0) {
        // read until the buffer is full
      }
      served.merge(name, offset + size, Math::max);
      return part.array();
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("snapshot was withdrawn");
    }
  }

  /** Does not wait for a running export, which deletes its files itself when it finishes. */
  void close() {
    closed = true;
    removeIfClosed();
  }

  private void removeIfClosed() {
    if (closed && exportLock.tryLock()) {
      try {
        SnapshotDirectories.deleteQuietly(directory);
      } finally {
        exportLock.unlock();
      }
    }
  }
}
