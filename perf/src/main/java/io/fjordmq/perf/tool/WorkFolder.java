package io.fjordmq.perf.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What brokers of one command write: their data and their logs. */
record WorkFolder(Path path) {
  static WorkFolder make() throws IOException {
    return new WorkFolder(Files.createTempDirectory("fjordmq-perf"));
  }

  /**
   * Leaves it for somebody who wants to know what went wrong. A given broker has nothing here: then
   * it goes.
   *
   * @return whether there is something to look at
   */
  boolean keep() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      if (files.anyMatch(Files::isRegularFile)) {
        return true;
      }
    }
    delete();
    return false;
  }

  void delete() throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(path)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : all) {
      Files.delete(file);
    }
  }
}
