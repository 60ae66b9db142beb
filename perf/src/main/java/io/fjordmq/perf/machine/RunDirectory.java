package io.fjordmq.perf.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Temporary directory for the data and logs of brokers. */
public record RunDirectory(Path path) {
  /** Creates the directory. */
  public static RunDirectory make() throws IOException {
    return new RunDirectory(Files.createTempDirectory("fjordmq-perf"));
  }

  /**
   * Keeps the directory for diagnosis, but deletes it if it contains no files, as with an external
   * broker.
   *
   * @return whether the directory contains any files
   */
  public boolean keep() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      if (files.anyMatch(Files::isRegularFile)) {
        return true;
      }
    }
    delete();
    return false;
  }

  /** Deletes the directory and its contents. */
  public void delete() throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(path)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : all) {
      Files.delete(file);
    }
  }
}
