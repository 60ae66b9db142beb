package io.fjordmq.cluster.consensus;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Directories with copies of states. */
final class Directories {
  private static final Logger LOG = LoggerFactory.getLogger(Directories.class);

  private Directories() {}

  /** Removes the directory and what is in it, if it exists. */
  static void deleteRecursively(Path directory) throws IOException {
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

  /** For leftovers, which are removed again at the next start. */
  static void deleteQuietly(Path directory) {
    try {
      deleteRecursively(directory);
    } catch (IOException e) {
      LOG.warn("cannot remove {}: {}", directory, e.toString());
    }
  }

  /** Puts a file or the entries of a directory on the medium. */
  static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
