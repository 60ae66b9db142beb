package io.fjordmq.broker.mosquitto;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Reads mosquitto.conf and the files in its {@code include_dir}. */
final class ConfReader {
  private static final String INCLUDE = "include_dir";

  private final List<ConfLine> lines = new ArrayList<>();
  private final List<String> problems;

  private ConfReader(List<String> problems) {
    this.problems = problems;
  }

  /**
   * Returns all directives in the order in which mosquitto reads them.
   *
   * @param problems receives one line for each included directory that cannot be read
   * @throws IOException if the file cannot be read; the message is for the operator
   */
  static List<ConfLine> read(Path file, List<String> problems) throws IOException {
    ConfReader reader = new ConfReader(problems);
    reader.readFile(file, true);
    return reader.lines;
  }

  private void readFile(Path file, boolean mayInclude) throws IOException {
    int number = 0;
    for (String raw : content(file)) {
      number++;
      String text = raw.strip();
      if (text.isEmpty() || text.startsWith("#")) {
        continue;
      }
      String[] words = text.split("\\s+", 2);
      ConfLine line =
          new ConfLine(
              String.valueOf(file.getFileName()),
              number,
              words[0],
              words.length == 1 ? "" : words[1]);
      if (line.name().equals(INCLUDE)) {
        include(file, line, mayInclude);
      } else {
        lines.add(line);
      }
    }
  }

  private static List<String> content(Path file) throws IOException {
    try {
      return Files.readAllLines(file, StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      throw new IOException("cannot read " + file + ": no such file", e);
    } catch (MalformedInputException e) {
      throw new IOException("cannot read " + file + ": not a UTF-8 text file", e);
    } catch (IOException e) {
      throw new IOException("cannot read " + file + ": " + e, e);
    }
  }

  /** Includes all files {@code *.conf} of a directory in the order of their names. */
  private void include(Path file, ConfLine line, boolean mayInclude) throws IOException {
    if (!mayInclude) {
      problems.add(line.where() + ": " + line.text() + ": included files cannot include others");
      return;
    }
    Path directory = file.toAbsolutePath().resolveSibling(line.value());
    List<Path> files;
    try (Stream<Path> found = Files.list(directory)) {
      files = found.filter(one -> one.toString().endsWith(".conf")).sorted().toList();
    } catch (IOException e) {
      problems.add(line.where() + ": " + line.text() + ": cannot read the directory: " + e);
      return;
    }
    for (Path included : files) {
      readFile(included, false);
    }
  }
}
