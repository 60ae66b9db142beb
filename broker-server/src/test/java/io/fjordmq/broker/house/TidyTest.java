package io.fjordmq.broker.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What the compiler does not see: sizes, explanations, leftovers. Reads the sources of all modules.
 */
class TidyTest {
  private static final int MAX_LINES = 400;

  /** Files that are longer for now. May only shrink: a file that has become shorter must leave. */
  private static final Map<String, Integer> LONGER = Map.of();

  private static final Pattern LEFTOVER =
      Pattern.compile("\\b(TODO|FIXME|XXX|HACK)\\b|@Disabled|printStackTrace\\(|Thread\\.sleep\\(");

  private static final List<Path> SOURCES = sources();

  @Test
  void shouldSeeEveryModule() {
    assertThat(SOURCES.size()).isGreaterThan(150);
    assertThat(SOURCES.stream().map(file -> root().relativize(file).getName(0).toString()))
        .contains(
            "broker-api",
            "cluster-membership",
            "range-store",
            "dist-router",
            "inbox-store",
            "retain-store",
            "broker-server",
            "perf");
  }

  @Test
  void shouldKeepFilesToOneIdea() {
    List<String> tooLong = new ArrayList<>();
    for (Path file : SOURCES) {
      int lines = read(file).size();
      int allowed = LONGER.getOrDefault(file.getFileName().toString(), MAX_LINES);
      if (isMain(file) && lines > allowed) {
        tooLong.add(lines + " lines, " + allowed + " allowed: " + root().relativize(file));
      }
    }
    assertThat(tooLong).isEmpty();
  }

  @Test
  void shouldExplainEveryPackage() {
    List<Path> unexplained =
        SOURCES.stream()
            .filter(TidyTest::isMain)
            .map(Path::getParent)
            .distinct()
            .filter(folder -> !Files.exists(folder.resolve("package-info.java")))
            .map(folder -> root().relativize(folder))
            .toList();
    assertThat(unexplained).as("packages without package-info.java").isEmpty();
  }

  @Test
  void shouldLeaveNothingUnfinished() {
    List<String> leftovers = new ArrayList<>();
    for (Path file : SOURCES) {
      List<String> lines = read(file);
      for (int i = 0; i < lines.size(); i++) {
        if (isMain(file) && LEFTOVER.matcher(lines.get(i)).find()) {
          leftovers.add(root().relativize(file) + ":" + (i + 1) + " " + lines.get(i).strip());
        }
      }
    }
    assertThat(leftovers).isEmpty();
  }

  private static boolean isMain(Path file) {
    return file.toString().contains("/src/main/");
  }

  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve(".mvn")) ? here : here.resolve("..").normalize();
  }

  private static List<Path> sources() {
    try (Stream<Path> files = Files.walk(root())) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> file.toString().contains("/src/"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> read(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
