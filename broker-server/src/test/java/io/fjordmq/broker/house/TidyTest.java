package io.fjordmq.broker.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rules the compiler does not check: sizes, documentation, leftovers. Reads all modules' sources.
 */
class TidyTest {
  private static final int MAX_LINES = 600;
  private static final int MANY_LINES = 300;
  private static final int MAX_METHOD_LINES = 60;

  /** Longer files, each with its reason. The list may only shrink. */
  private static final Map<String, Integer> LONGER_FILES = Map.of();

  /** Longer methods. The list may only shrink. */
  private static final Map<String, Integer> LONGER_METHODS = Map.of();

  private static final Pattern LEFTOVER =
      Pattern.compile("\\b(TODO|FIXME|XXX|HACK)\\b|@Disabled|printStackTrace\\(|Thread\\.sleep\\(");

  private static final List<Path> SOURCES = sources();

  @Test
  void shouldCheckEveryModule() {
    assertThat(SOURCES.size()).isGreaterThan(150);
    assertThat(SOURCES.stream().map(file -> root().relativize(file).getName(0).toString()))
        .contains(
            "broker-api",
            "test-support",
            "cluster-membership",
            "range-store",
            "dist-router",
            "inbox-store",
            "retain-store",
            "broker-server",
            "auth-providers",
            "object-storage",
            "cli",
            "perf");
  }

  @Test
  void shouldKeepFilesShort() {
    Map<String, Integer> lengths = new TreeMap<>();
    SOURCES.stream()
        .filter(TidyTest::isMain)
        .forEach(file -> lengths.put(file.getFileName().toString(), read(file).size()));
    assertOnlyKnown(tooLong(lengths, MAX_LINES), LONGER_FILES);
    System.out.println(
        tooLong(lengths, MANY_LINES).size() + " files have more than " + MANY_LINES + " lines");
  }

  @Test
  void shouldKeepMethodsShort() throws IOException {
    List<Path> main = SOURCES.stream().filter(TidyTest::isMain).toList();
    assertOnlyKnown(tooLong(MethodLengths.of(main), MAX_METHOD_LINES), LONGER_METHODS);
  }

  @Test
  void shouldDetectLongMethods(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("Long.java");
    String body = "int x;\n".repeat(MAX_METHOD_LINES);
    Files.writeString(file, "class Long {\nvoid brief() {\n}\nvoid run() {\n" + body + "}\n}\n");
    assertThat(tooLong(MethodLengths.of(List.of(file)), MAX_METHOD_LINES))
        .containsOnlyKeys("Long#run");
  }

  private static Map<String, Integer> tooLong(Map<String, Integer> lengths, int allowed) {
    Map<String, Integer> longer = new TreeMap<>(lengths);
    longer.values().removeIf(lines -> lines <= allowed);
    return longer;
  }

  /** An exception that is no longer needed, or allows more than needed, must be removed. */
  private static void assertOnlyKnown(Map<String, Integer> found, Map<String, Integer> known) {
    assertThat(found).as("too long, with the number of lines").isEqualTo(new TreeMap<>(known));
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

  /** The slow step of bin/test.sh chooses tests by tag; without one it would not run all seeds. */
  @Test
  void shouldTagEveryTestThatRunsFewerSeedsInTheFastStep() {
    List<String> untagged = new ArrayList<>();
    for (Path file : SOURCES) {
      if (!isMain(file)) {
        untaggedSimulations(read(file)).forEach(test -> untagged.add(file.getFileName() + test));
      }
    }
    assertThat(untagged).as("seeded tests without @Tag(Seeds.TAG)").isEmpty();
  }

  @Test
  void shouldDetectASimulationWithoutATag() {
    List<String> source =
        List.of(
            "  @Test",
            "  @Tag(Seeds.TAG)",
            "  void tagged() {",
            "    Seeds.withDefaultCount(2).run(run);",
            "  @Test",
            "  void untagged() {",
            "    Seeds.withDefaultCount(2).run(run);");
    assertThat(untaggedSimulations(source)).containsExactly(":7");
  }

  /** The lines with calls of {@code Seeds.withDefaultCount} in tests without the tag. */
  private static List<String> untaggedSimulations(List<String> source) {
    List<String> untagged = new ArrayList<>();
    boolean tagged = false;
    for (int i = 0; i < source.size(); i++) {
      String line = source.get(i);
      if (line.equals("@Tag(\"slow\")")) {
        return List.of();
      }
      if (line.equals("  @Test") || line.startsWith("  @ParameterizedTest")) {
        tagged = false;
      } else if (line.equals("  @Tag(Seeds.TAG)")) {
        tagged = true;
      } else if (!tagged && line.contains("Seeds.withDefaultCount(") && !line.contains("\"")) {
        untagged.add(":" + (i + 1));
      }
    }
    return untagged;
  }

  private static boolean isMain(Path file) {
    return file.toString().contains("/src/main/");
  }

  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve(".mvn")) ? here : here.resolve("..").normalize();
  }

  /**
   * All sources of all modules. Looks only into the src directories: elsewhere, builds and other
   * tests create and delete files at the same time.
   */
  private static List<Path> sources() {
    List<Path> sources = new ArrayList<>();
    try (DirectoryStream<Path> modules = Files.newDirectoryStream(root())) {
      for (Path module : modules) {
        Path folder = module.resolve("src");
        if (Files.isDirectory(folder)) {
          try (Stream<Path> files = Files.walk(folder)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
          }
        }
      }
      return sources;
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
