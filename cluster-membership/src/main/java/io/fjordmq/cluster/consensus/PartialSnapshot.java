package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.consensus.SnapshotManifest.FileSize;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * The files of a copy as far as they have been fetched. They stay when a fetch breaks, and the next
 * one goes on behind them if it is offered the same copy.
 */
final class PartialSnapshot {
  /** Beside the directory: which offer it is of, and its manifest. */
  private static final String MANIFEST_SUFFIX = ".manifest";

  private final Path directory;
  private final Path manifestFile;
  private final String offer;
  private final SnapshotManifest manifest;
  private long kept;

  private PartialSnapshot(Path directory, String offer, SnapshotManifest manifest) {
    this.directory = directory;
    this.manifestFile = manifestFile(directory);
    this.offer = offer;
    this.manifest = manifest;
  }

  private static Path manifestFile(Path directory) {
    return directory.resolveSibling(directory.getFileName() + MANIFEST_SUFFIX);
  }

  /** Goes on with what is there of this very copy, or begins anew. */
  static PartialSnapshot open(Path directory, String offer, SnapshotManifest manifest)
      throws IOException {
    PartialSnapshot copy = new PartialSnapshot(directory, offer, manifest);
    for (FileSize file : manifest.files()) {
      copy.target(file); // before anything is done: names may lead out of the directory
    }
    if (!copy.isOfThisOffer()) {
      copy.discard();
    }
    Files.createDirectories(directory);
    Files.write(copy.manifestFile, copy.mark());
    for (FileSize file : manifest.files()) {
      copy.kept += copy.length(file);
    }
    return copy;
  }

  private byte[] mark() {
    byte[] bytes = manifest.encode();
    byte[] name = (offer + "\n").getBytes(StandardCharsets.UTF_8);
    byte[] mark = Arrays.copyOf(name, name.length + bytes.length);
    System.arraycopy(bytes, 0, mark, name.length, bytes.length);
    return mark;
  }

  private boolean isOfThisOffer() throws IOException {
    return Files.exists(manifestFile)
        && Files.isDirectory(directory)
        && Arrays.equals(Files.readAllBytes(manifestFile), mark());
  }

  private void discard() throws IOException {
    Files.deleteIfExists(manifestFile);
    Directories.deleteRecursively(directory);
  }

  /** How many bytes an earlier fetch left. */
  long keptBytes() {
    return kept;
  }

  /** How many bytes the copy has in all. */
  long totalBytes() {
    return manifest.files().stream().mapToLong(FileSize::size).sum();
  }

  /** How much of the file is there; what is longer than it should be is fetched anew. */
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

  /** To write from where {@link #length} ends. */
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
      throw new SnapshotGoneException("the copy names a file outside of it: " + file.name());
    }
    return target;
  }

  /** All files are complete; durable when it returns. */
  FetchedSnapshot complete() throws IOException {
    Files.delete(manifestFile);
    Directories.sync(directory);
    return new FetchedSnapshot(manifest, directory, offer);
  }
}
