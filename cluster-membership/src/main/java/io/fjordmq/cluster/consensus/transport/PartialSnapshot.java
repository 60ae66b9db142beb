package io.fjordmq.cluster.consensus.transport;

import io.fjordmq.cluster.consensus.log.SnapshotDirectories;
import io.fjordmq.cluster.consensus.transport.SnapshotManifest.FileSize;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * The files of a snapshot that have been fetched so far. They are kept when a fetch fails, so that
 * the next fetch can resume if it is offered the same snapshot.
 */
final class PartialSnapshot {
  /**
   * Suffix of the file that stores the offer and its manifest, next to the snapshot's directory.
   */
  private static final String MANIFEST_SUFFIX = ".manifest";

  private final Path directory;
  private final Path manifestFile;
  private final String offer;
  private final SnapshotManifest manifest;
  private long keptBytes;

  private PartialSnapshot(Path directory, String offer, SnapshotManifest manifest) {
    this.directory = directory;
    this.manifestFile = manifestFile(directory);
    this.offer = offer;
    this.manifest = manifest;
  }

  private static Path manifestFile(Path directory) {
    return directory.resolveSibling(directory.getFileName() + MANIFEST_SUFFIX);
  }

  /** Resumes from files of the same snapshot, or starts over. */
  static PartialSnapshot open(Path directory, String offer, SnapshotManifest manifest)
      throws IOException {
    PartialSnapshot snapshot = new PartialSnapshot(directory, offer, manifest);
    for (FileSize file : manifest.files()) {
      snapshot.target(file); // rejects names outside the directory before anything is written
    }
    if (!snapshot.matchesOffer()) {
      snapshot.discard();
    }
    Files.createDirectories(directory);
    Files.write(snapshot.manifestFile, snapshot.manifestFileContent());
    for (FileSize file : manifest.files()) {
      snapshot.keptBytes += snapshot.length(file);
    }
    return snapshot;
  }

  private byte[] manifestFileContent() {
    byte[] bytes = manifest.encode();
    byte[] name = (offer + "\n").getBytes(StandardCharsets.UTF_8);
    byte[] content = Arrays.copyOf(name, name.length + bytes.length);
    System.arraycopy(bytes, 0, content, name.length, bytes.length);
    return content;
  }

  private boolean matchesOffer() throws IOException {
    return Files.exists(manifestFile)
        && Files.isDirectory(directory)
        && Arrays.equals(Files.readAllBytes(manifestFile), manifestFileContent());
  }

  private void discard() throws IOException {
    Files.deleteIfExists(manifestFile);
    SnapshotDirectories.deleteRecursively(directory);
  }

  /** Returns the number of bytes kept from earlier fetches. */
  long keptBytes() {
    return keptBytes;
  }

  /** Returns the total size of the snapshot in bytes. */
  long totalBytes() {
    return manifest.files().stream().mapToLong(FileSize::size).sum();
  }

  /**
   * Returns the number of bytes of the file that are present; a file that is too long is deleted
   * and fetched again.
   */
  long length(FileSize file) throws IOException {
    Path target = target(file);
    if (!Files.exists(target)) {
      return 0;
    }
    long length = Files.size(target);
    if (length > file.size()) {
      Files.delete(target);
      return 0;
    }
    return length;
  }

  /** Opens the file for writing from position {@link #length} on. */
  FileChannel append(FileSize file) throws IOException {
    Path target = target(file);
    Files.createDirectories(target.getParent());
    FileChannel channel =
        FileChannel.open(target, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    return channel.position(length(file));
  }

  private Path target(FileSize file) throws IOException {
    Path target = directory.resolve(file.name()).normalize();
    if (!target.startsWith(directory)) {
      throw new SnapshotGoneException(
          "snapshot contains a file name outside its directory: " + file.name());
    }
    return target;
  }

  /** Finishes the snapshot after all files are complete. It is durable when this method returns. */
  FetchedSnapshot complete() throws IOException {
    Files.delete(manifestFile);
    SnapshotDirectories.sync(directory);
    return new FetchedSnapshot(manifest, directory, offer);
  }
}
