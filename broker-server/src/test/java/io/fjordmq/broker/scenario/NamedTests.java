package io.fjordmq.broker.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Maps statements of the standard to the tests that name them: in the title of a scenario or in the
 * annotations of a test method.
 */
final class NamedTests {
  /** {@code [MQTT-1.2.3-4]} of MQTT 5, {@code [3.1.1: MQTT-1.2.3-4]}, {@code [3.1: §3.2]}. */
  private static final Pattern NAMED =
      Pattern.compile("\\[((?:3\\.1\\.1: )?MQTT-[0-9.]+-\\d+|3\\.1: §[0-9.]+)]");

  private static final Pattern METHOD = Pattern.compile("  (?:public )?void (\\w+)\\(.*");

  private final Map<String, Set<String>> byStatement = new TreeMap<>();

  /** Reads the tests of this module. */
  static NamedTests read() {
    NamedTests all = new NamedTests();
    for (Scenario scenario : ScenarioFile.all()) {
      all.add(scenario.title(), scenario.file());
    }
    Path sources = Path.of("src/test/java/io/fjordmq/broker");
    try (Stream<Path> files = Files.walk(sources)) {
      files.filter(file -> file.toString().endsWith("Test.java")).forEach(all::readClass);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }

  private void readClass(Path file) {
    String name = file.getFileName().toString().replace(".java", "");
    String inPackage = file.getName(file.getNameCount() - 2) + "." + name + ".";
    StringBuilder annotations = new StringBuilder();
    for (String line : lines(file)) {
      Matcher method = METHOD.matcher(line);
      if (line.startsWith("  @") || (!annotations.isEmpty() && line.startsWith("   "))) {
        annotations.append(line);
      } else if (method.matches()) {
        add(annotations.toString(), inPackage + method.group(1));
        annotations.setLength(0);
      } else if (!line.startsWith("  })") && !line.startsWith("  )")) {
        annotations.setLength(0);
      }
    }
  }

  private static Iterable<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(String text, String test) {
    Matcher named = NAMED.matcher(text);
    while (named.find()) {
      byStatement.computeIfAbsent(named.group(1), any -> new TreeSet<>()).add(test);
    }
  }

  Set<String> testsOf(String statement) {
    return byStatement.getOrDefault(statement, Set.of());
  }

  /** Every statement that a test names. */
  Set<String> statements() {
    return byStatement.keySet();
  }
}
