package io.fjordmq.broker.system;

import io.fjordmq.testing.FreePorts;

/**
 * The configuration of a node under test, all of it on the loopback address.
 *
 * @param bootstrap whether it makes a cluster at its first start
 * @param mqtt port for clients
 * @param http port of metrics and health
 * @param cluster port for other nodes; Raft has the next one
 * @param seeds as in clusterConfig.seedEndpoints; empty for none
 * @param more lines of clusterConfig, indented, and more sections
 */
record NodeFile(boolean bootstrap, int mqtt, int http, int cluster, String seeds, String more) {
  /** On a busy host, nodes under test may lack CPU for seconds, and must not reject clients. */
  private static final String OVERLOAD =
      """
      overloadConfig:
        loopLagHigh: 60 s
      """;

  /** Of a node without others, on free ports. */
  static NodeFile standalone(String more) {
    return new NodeFile(true, FreePorts.one(), FreePorts.one(), FreePorts.forCluster(), "", more);
  }

  NodeFile withBootstrap(boolean other) {
    return new NodeFile(other, mqtt, http, cluster, seeds, more);
  }

  NodeFile withSeeds(String other) {
    return new NodeFile(bootstrap, mqtt, http, cluster, other, more);
  }

  NodeFile with(String sections) {
    return new NodeFile(bootstrap, mqtt, http, cluster, seeds, sections);
  }

  NodeFile withCluster(int port) {
    return new NodeFile(bootstrap, mqtt, http, port, seeds, more);
  }

  String text() {
    String overload = more.contains("overloadConfig") ? "" : OVERLOAD;
    return overload
        + """
        bootstrap: %s
        mqttServerConfig:
          tcpListener:
            host: 127.0.0.1
            port: %d
        httpConfig:
          host: 127.0.0.1
          port: %d
        clusterConfig:
          env: Test
          host: 127.0.0.1
          port: %d
          seedEndpoints: %s
        """
            .formatted(bootstrap, mqtt, http, cluster, seeds)
        + more;
  }
}
