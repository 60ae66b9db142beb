package io.fjordmq.perf.broker;

import io.fjordmq.perf.scenario.YamlRecords;
import io.fjordmq.testing.FreePorts;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/**
 * The configuration of one FjordMQ node on free loopback ports, to which sections can be added. Not
 * thread-safe.
 */
public final class NodeConfig {
  private final int port = FreePorts.one();
  private final int httpPort = FreePorts.one();
  private final Map<String, Object> sections;

  /** Creates the configuration of a single-node cluster. */
  public NodeConfig() {
    this(true, FreePorts.forCluster(), "");
  }

  /**
   * Creates the configuration of a node of a cluster.
   *
   * @param first whether the node bootstraps the cluster
   * @param seeds as in clusterConfig.seedEndpoints
   */
  NodeConfig(boolean first, int clusterPort, String seeds) {
    sections =
        YamlRecords.parse(
            """
            bootstrap: %s
            mqttServerConfig: {tcpListener: {host: 127.0.0.1, port: %d}}
            httpConfig: {host: 127.0.0.1, port: %d}
            clusterConfig: {env: Perf, host: 127.0.0.1, port: %d, seedEndpoints: '%s'}
            """
                .formatted(first, port, httpPort, clusterPort, seeds));
  }

  /**
   * Adds sections; a key that is already set is replaced, and the elements of lists are merged one
   * by one. Returns this.
   */
  public NodeConfig with(String yaml) {
    YamlRecords.parse(yaml).forEach((key, value) -> sections.merge(key, value, NodeConfig::merged));
    return this;
  }

  @SuppressWarnings("unchecked") // SnakeYAML returns maps with the keys of the text, all strings
  private static Object merged(Object before, Object added) {
    if (before instanceof Map && added instanceof Map) {
      Map<String, Object> all = new LinkedHashMap<>((Map<String, Object>) before);
      ((Map<String, Object>) added)
          .forEach((key, value) -> all.merge(key, value, NodeConfig::merged));
      return all;
    }
    if (before instanceof List<?> elements && added instanceof List<?> more) {
      List<Object> all = new ArrayList<>(elements);
      for (int i = 0; i < more.size(); i++) {
        if (i < elements.size()) {
          all.set(i, merged(all.get(i), more.get(i)));
        } else {
          all.add(more.get(i));
        }
      }
      return all;
    }
    return added;
  }

  /** Returns the port of its TCP listener for clients. */
  public int port() {
    return port;
  }

  URI metrics() {
    return URI.create("http://127.0.0.1:" + httpPort + "/metrics");
  }

  /** Returns the text of the configuration file. */
  String text() {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    return new Yaml(options).dump(sections);
  }
}
