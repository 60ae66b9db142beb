package io.fjordmq.broker.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
   * this node uses another value.
   *
   * @param requested the requested values, by key
   * @param all the requested values and those that are set already
   * @return the problems, each of which begins with a key; empty if the changes are valid
   */
  public List<String> problems(Map<String, String> requested, Map<String, String> all) {
    Set<String> problems = new LinkedHashSet<>();
    for (String key : requested.keySet()) {
      if (!ReloadableKeys.contains(key) && isKnown(key)) {
        problems.add(
            key
                + " cannot change while nodes run; set it in the configuration file of each node"
                + " and restart the nodes");
      }
    }
    if (!problems.isEmpty()) {
      return List.copyOf(problems);
    }
    for (ConfigLoader candidate : List.of(onTop(all), loader(layer(all)))) {
      try {
        candidate.bind();
      } catch (ConfigException e) {
        e.problems().stream()
            .map(problem -> problem.replaceFirst("^(" + API + "|configuration): ", ""))
            .forEach(problems::add);
      }
    }
    return List.copyOf(problems);
  }

  private static boolean isKnown(String key) {
    return new ConfigLoader().knows(key);
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
