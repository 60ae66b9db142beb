package io.fjordmq.broker.config;

import org.jspecify.annotations.Nullable;

/**
 * Everything an operator can set. The names of the components are the keys of the file; {@link
 * #defaults()} holds the value of every key that is not given.
 *
 * @param bootstrap at the first start of the cluster's first node: create the cluster
 * @param dataDir folder of everything that must survive a restart; relative to the folder the
 *     process is started in
 * @param logDir folder of the log files
 * @param mqttServerConfig listeners for clients
 * @param clusterConfig this node among others
 * @param httpConfig metrics and health
 * @param storeConfig the three replicated stores
 */
public record BrokerConfig(
    boolean bootstrap,
    String dataDir,
    String logDir,
    MqttServerConfig mqttServerConfig,
    ClusterConfig clusterConfig,
    HttpConfig httpConfig,
    StoreConfig storeConfig) {

  public BrokerConfig {
    require(!dataDir.isBlank(), "dataDir must name a folder");
    require(!logDir.isBlank(), "logDir must name a folder");
  }

  /**
   * Listeners. Only those that are named are opened.
   *
   * @param tcpListener MQTT over TCP
   */
  public record MqttServerConfig(@OnlyIfNamed @Nullable ListenerConfig tcpListener) {}

  /**
   * Where a listener waits.
   *
   * @param host address of this machine; empty for all
   * @param port 0 lets the system choose; the start says which it was
   */
  public record ListenerConfig(String host, int port) {
    public ListenerConfig {
      requirePort(port, 0);
    }
  }

  /**
   * This node among others.
   *
   * @param env name of the environment; nodes of different ones do not talk to each other
   * @param host address other nodes reach this one at; empty to find it
   * @param port for everything between nodes
   * @param clusterDomainName name that resolves to the nodes, instead of seedEndpoints
   * @param seedEndpoints {@code host:port} of some nodes, separated by commas
   */
  public record ClusterConfig(
      String env, String host, int port, String clusterDomainName, String seedEndpoints) {
    public ClusterConfig {
      require(!env.isBlank(), "env must be a name");
      requirePort(port, 1);
      for (String endpoint : seedEndpoints.split(",", -1)) {
        require(
            seedEndpoints.isBlank() || endpoint.strip().matches("\\S+:[0-9]{1,5}"),
            "seedEndpoints must be host:port, separated by commas, not '" + seedEndpoints + "'");
      }
    }
  }

  /**
   * Metrics and health over HTTP.
   *
   * @param host address of this machine
   * @param port 0 lets the system choose
   */
  public record HttpConfig(String host, int port) {
    public HttpConfig {
      requirePort(port, 0);
    }
  }

  /**
   * The replicated stores.
   *
   * @param dist routes
   * @param inbox persistent sessions
   * @param retain retained messages
   */
  public record StoreConfig(RangesConfig dist, RangesConfig inbox, RangesConfig retain) {}

  /**
   * The ranges of one store.
   *
   * @param replicaVoterCount copies of each range that vote; 0 for 3 or as many as there are nodes
   * @param ioNanosLimit mean I/O latency, nanoseconds, above which a range is not split
   * @param maxIoDensity requests per second above which a range is split
   */
  public record RangesConfig(int replicaVoterCount, long ioNanosLimit, int maxIoDensity) {
    public RangesConfig {
      require(
          replicaVoterCount >= 0 && replicaVoterCount <= 7,
          "replicaVoterCount must be 0 to 7, not " + replicaVoterCount);
      require(ioNanosLimit >= 1, "ioNanosLimit must be at least 1, not " + ioNanosLimit);
      require(maxIoDensity >= 1, "maxIoDensity must be at least 1, not " + maxIoDensity);
    }
  }

  /** The value of every key that is not given; sections that are only there if named, too. */
  static BrokerConfig defaults() {
    return new BrokerConfig(
        false,
        "data",
        "logs",
        new MqttServerConfig(new ListenerConfig("", 1883)),
        new ClusterConfig("Test", "", 8899, "", ""),
        new HttpConfig("127.0.0.1", 18083),
        new StoreConfig(ranges(), ranges(), ranges()));
  }

  private static RangesConfig ranges() {
    return new RangesConfig(0, 30_000, 10_000);
  }

  private static void requirePort(int port, int least) {
    require(port >= least && port <= 65_535, "port must be " + least + " to 65535, not " + port);
  }

  /**
   * @param fault begins with the name of the component it is about
   */
  private static void require(boolean good, String fault) {
    if (!good) {
      throw new IllegalArgumentException(fault);
    }
  }
}
