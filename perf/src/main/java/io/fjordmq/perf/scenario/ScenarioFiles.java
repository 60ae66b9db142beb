package io.fjordmq.perf.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * The scenario lists of a directory. Each YAML file lists scenario names, with keys for all values
 * that the name does not contain.
 */
public final class ScenarioFiles {
  private final Map<String, List<Scenario>> lists = new LinkedHashMap<>();

  /**
   * @throws UsageException if a file is invalid
   */
  public ScenarioFiles(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files = all.filter(file -> file.toString().endsWith(".yml")).sorted().toList();
    }
    for (Path file : files) {
      String name = file.getFileName().toString();
      lists.put(name.substring(0, name.length() - ".yml".length()), read(file));
    }
  }

  /** Returns the scenarios of a list; empty if the list does not exist. */
  public List<Scenario> list(String name) {
    return lists.getOrDefault(name, List.of());
  }

  /** Returns the names of the lists, sorted. */
  public List<String> names() {
    return List.copyOf(lists.keySet());
  }

  /**
   * Returns a listed scenario, or a scenario that its name defines completely.
   *
   * @param name may omit {@code true_}
   * @throws UsageException if there is no such scenario
   */
  public Scenario find(String name) {
    String whole = ScenarioName.withPrefix(name);
    for (List<Scenario> list : lists.values()) {
      for (Scenario scenario : list) {
        if (scenario.name().equals(whole)) {
          return scenario;
        }
      }
    }
    return ScenarioName.parse(name)
        .orElseThrow(
            () ->
                new UsageException(
                    ("unknown scenario '%s'; it is not listed, and its name does not have a "
                            + "pattern such as true_50_50_qos1_p256_10mps_1n; see --list")
                        .formatted(name)));
  }

  private static List<Scenario> read(Path file) throws IOException {
    try {
      List<Scenario> scenarios = new ArrayList<>();
      YamlRecords.parse(Files.readString(file))
          .forEach(
              (name, content) ->
                  scenarios.add(ScenarioEntry.read(ScenarioName.withPrefix(name), content)));
      return scenarios;
    } catch (UsageException | YAMLException e) {
      throw new UsageException(file + ": " + e.getMessage());
    }
  }
}
