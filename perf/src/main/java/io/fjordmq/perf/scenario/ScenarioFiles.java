package io.fjordmq.perf.scenario;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * The scenarios of a folder: each YAML file is a list of them, each scenario a name with what the
 * name does not say.
 */
public final class ScenarioFiles {
  private final Map<String, List<Scenario>> lists = new LinkedHashMap<>();

  /**
   * @throws ScenarioException if a file has a mistake
   */
  public ScenarioFiles(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(file -> file.toString().endsWith(".yml")).sorted().toList();
    }
    for (Path file : files) {
      String name = file.getFileName().toString();
      lists.put(name.substring(0, name.length() - ".yml".length()), read(file));
    }
  }

  /** What is in a list; nothing if there is none of that name. */
  public List<Scenario> list(String name) {
    return lists.getOrDefault(name, List.of());
  }

  /** Names of the lists, in order. */
  public List<String> names() {
    return List.copyOf(lists.keySet());
  }

  /**
   * One of the lists, or any whose name says it all.
   *
   * @param name may leave out {@code true_}
   * @throws ScenarioException if there is none of that name
   */
  public Scenario find(String name) {
    String whole = ScenarioName.whole(name);
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
                new ScenarioException(
                    "there is no scenario '"
                        + name
                        + "', and its name is not of a form that says what to do, such as"
                        + " true_50_50_qos1_p256_10mps_1n; --list shows those there are"));
  }

  private static List<Scenario> read(Path file) throws IOException {
    try (Reader reader = Files.newBufferedReader(file)) {
      Object content = new Yaml(new SafeConstructor(new LoaderOptions())).load(reader);
      if (!(content instanceof Map<?, ?> entries)) {
        throw new ScenarioException("it is no list of names");
      }
      List<Scenario> scenarios = new ArrayList<>();
      for (Map.Entry<?, ?> entry : entries.entrySet()) {
        String name = ScenarioName.whole(String.valueOf(entry.getKey()));
        scenarios.add(ScenarioEntry.read(name, entry.getValue()));
      }
      return scenarios;
    } catch (ScenarioException | YAMLException e) {
      throw new ScenarioException(file + ": " + e.getMessage());
    }
  }
}
