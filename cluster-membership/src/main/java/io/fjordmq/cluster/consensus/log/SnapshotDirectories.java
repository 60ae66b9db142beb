package io.fjordmq.cluster.consensus.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** File operations on snapshot directories. */
public final class SnapshotDirectories {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotDirectories.class);

  private SnapshotDirectories() {}

  /** Deletes the directory and its contents, if it exists. */
  public static void deleteRecursively(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    List<Path> found;
    try (Stream<Path> walk = Files.walk(directory)) {
      found = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : found) {
      Files.deleteIfExists(path);
    }
  }

  /**
   * Returns the total size of the files in bytes; files that cannot be read or just vanished do not
   * count.
   */
  public static long size(Path directory) {
    if (!Files.exists(directory)) {
      return 0;
    }
    try (Stream<Path> walk = Files.walk(directory)) {
      return walk.mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException | UncheckedIOException e) {
      return 0;
    }
  }

  /** Logs a failure instead of throwing; the next start deletes the directory again. */
  public static void deleteQuietly(Path directory) {
    try {
      deleteRecursively(directory);
    } catch (IOException e) {
      LOG.warn("Cannot delete a snapshot directory: {} path={}", e.toString(), directory);
    }
  }

  /**
   * Syncs the entries of a new directory and its entry in the parent: without them, a synced file
   * cannot be found after a power failure.
   */
  public static void sync(Path directory) throws IOException {
    List<Path> directories;
    try (Stream<Path> walk = Files.walk(directory)) {
      directories = walk.filter(Files::isDirectory).toList();
    }
    for (Path path : directories) {
      syncEntries(path);
    }
    syncEntries(Objects.requireNonNull(directory.toAbsolutePath().getParent()));
  }

  private static void syncEntries(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
