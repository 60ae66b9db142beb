package io.fjordmq.broker.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Everything that configures this process. Combines it with the values that operators set for the
 * whole cluster through the API. Immutable.
 */
public final class ConfigSources {
  /** The origin of values set through the API, in messages. */
  private static final String API = "API";

  /** The values from one origin. */
  record Layer(ConfigOrigin origin, List<ConfigValue> values) {}

  private final List<Layer> layers;

  /**
   * @param layers the values of each origin but the API
   */
  ConfigSources(List<Layer> layers) {
    this.layers = List.copyOf(layers);
  }

  /**
   * Returns the configuration of this node.
   *
   * @param overrides values set through the API, by key
   * @throws ConfigException if a value is invalid, or does not fit the other values of this node
   */
  public BrokerConfig resolve(Map<String, String> overrides) throws ConfigException {
    return loader(layer(overrides)).bind();
  }

  /**
   * Returns the effective value of every key, in the order of conf/standalone.yml.
   *
   * @param overrides values set through the API, by key; valid on this node
   * @param stored all values set through the API, including those that are invalid on this node
   * @throws ConfigException like {@link #resolve}
   */
  public List<ConfigEntry> entries(Map<String, String> overrides, Map<String, String> stored)
      throws ConfigException {
    ConfigLoader loader = loader(layer(overrides));
    return new ConfigListing(loader, stored).of(loader.bind());
  }

  /**
   * Checks changes that are requested through the API. Reports every problem at once: keys that are
   * unknown or cannot change while nodes run, and values that are invalid on this node, even if
   * this node uses another value. Values that were stored before and are invalid on this node, for
   * example because its file has changed, do not prevent other changes.
   *
   * @param requested the requested values, by key; empty if a value is removed
   * @param before all values that are stored
   * @param after all values that would be stored
   * @return the problems, each of which begins with a key; empty if the changes are valid
   */
  public List<String> problems(
      Map<String, String> requested, Map<String, String> before, Map<String, String> after) {
    ConfigLoader known = new ConfigLoader();
    List<String> fixed =
        requested.keySet().stream()
            .filter(key -> !ReloadableKeys.contains(key) && known.knows(key))
            .map(
                key ->
                    key
                        + " cannot change while nodes run; set it in the configuration file of each"
                        + " node and restart the nodes")
            .toList();
    if (!fixed.isEmpty()) {
      return fixed;
    }
    Set<String> problems = problems(after);
    if (!problems.isEmpty() && !before.isEmpty()) {
      Set<String> earlier = problems(before);
      earlier.removeIf(problem -> requested.keySet().stream().anyMatch(problem::contains));
      problems.removeAll(earlier);
    }
    return List.copyOf(problems);
  }

  /** The problems of these values on this node, whether it uses them or not. */
  private Set<String> problems(Map<String, String> overrides) {
    Set<String> problems = new LinkedHashSet<>();
    for (ConfigLoader candidate : List.of(onTop(overrides), loader(layer(overrides)))) {
      try {
        candidate.bind();
      } catch (ConfigException e) {
        e.problems().stream()
            .map(problem -> problem.replaceFirst("^(" + API + "|configuration): ", ""))
            .forEach(problems::add);
      }
    }
    return problems;
  }

  /**
   * Returns the values set through the API that can be used on this node. Other nodes may have
   * files with which further values are valid. Does not try each value, because there can be many.
   */
  public Map<String, String> valid(Map<String, String> overrides) {
    Map<String, String> valid = new TreeMap<>(overrides);
    while (true) {
      try {
        resolve(valid);
        return valid;
      } catch (ConfigException e) {
        if (!valid.keySet().removeIf(key -> e.problems().stream().anyMatch(names(key)))) {
          return withoutSuspects(valid, e);
        }
      }
    }
  }

  /** Whether a problem is about a key: the name of another key may begin with the same text. */
  private static Predicate<String> names(String key) {
    return problem -> (problem + " ").contains(" " + key + " ");
  }

  /** A problem may name another key of the same section, such as a threshold in the file. */
  private Map<String, String> withoutSuspects(
      Map<String, String> overrides, ConfigException failure) {
    Map<String, String> suspects = new TreeMap<>(overrides);
    suspects.keySet().retainAll(ofSameSections(overrides.keySet(), failure));
    if (suspects.isEmpty()) {
      suspects.putAll(overrides);
    }
    Map<String, String> rest = new TreeMap<>(overrides);
    rest.keySet().removeAll(suspects.keySet());
    Map<String, String> valid = valid(rest);
    suspects.forEach(
        (key, value) -> {
          valid.put(key, value);
          try {
            resolve(valid);
          } catch (ConfigException e) {
            valid.remove(key);
          }
        });
    return valid;
  }

  private static Set<String> ofSameSections(Set<String> keys, ConfigException failure) {
    return keys.stream()
        .filter(
            key -> {
              String section = key.substring(0, key.lastIndexOf('.') + 1);
              return failure.problems().stream().anyMatch(problem -> problem.contains(section));
            })
        .collect(Collectors.toSet());
  }

  private static Layer layer(Map<String, String> overrides) {
    return new Layer(
        ConfigOrigin.API,
        overrides.entrySet().stream()
            .map(override -> ConfigValue.value(override.getKey(), override.getValue(), API))
            .toList());
  }

  /** The values set through the API have the highest precedence, so that all are checked. */
  private ConfigLoader onTop(Map<String, String> overrides) {
    ConfigLoader loader = new ConfigLoader();
    layers.forEach(loader::add);
    loader.add(layer(overrides));
    return loader;
  }

  private ConfigLoader loader(Layer api) {
    List<Layer> all = new ArrayList<>(layers);
    all.add(api);
    all.sort(Comparator.comparing(Layer::origin));
    ConfigLoader loader = new ConfigLoader();
    all.forEach(loader::add);
    return loader;
  }
}
