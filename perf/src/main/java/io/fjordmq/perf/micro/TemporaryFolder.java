package io.fjordmq.perf.micro;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory that is deleted with its contents. */
final class TemporaryFolder implements AutoCloseable {
  private final Path path;

  TemporaryFolder() throws IOException {
    this.path = Files.createTempDirectory("fjordmq-micro");
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(path)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : all) {
      Files.delete(file);
    }
  }
}
