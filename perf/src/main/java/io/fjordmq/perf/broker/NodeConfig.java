package io.fjordmq.perf.broker;

import io.fjordmq.perf.scenario.YamlRecords;
import io.fjordmq.testing.FreePorts;
import java.net.URI;
import java.util.ArrayList;
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
    merge(sections, YamlRecords.parse(yaml));
    return this;
  }

  @SuppressWarnings("unchecked") // SnakeYAML returns maps with the keys of the text, all strings
  private static void merge(Map<String, Object> into, Map<String, Object> from) {
    from.forEach(
        (key, value) -> {
          if (value instanceof Map && into.get(key) instanceof Map) {
            merge((Map<String, Object>) into.get(key), (Map<String, Object>) value);
          } else if (value instanceof List && into.get(key) instanceof List) {
            into.put(key, merged((List<Object>) into.get(key), (List<Object>) value));
          } else {
            into.put(key, value);
          }
        });
  }

  @SuppressWarnings("unchecked") // as above
  private static List<Object> merged(List<Object> into, List<Object> from) {
    List<Object> all = new ArrayList<>(into);
    for (int i = 0; i < from.size(); i++) {
      if (i < all.size() && all.get(i) instanceof Map && from.get(i) instanceof Map) {
        merge((Map<String, Object>) all.get(i), (Map<String, Object>) from.get(i));
      } else if (i < all.size()) {
        all.set(i, from.get(i));
      } else {
        all.add(from.get(i));
      }
    }
    return all;
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
