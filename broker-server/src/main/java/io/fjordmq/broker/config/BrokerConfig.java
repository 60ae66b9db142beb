package io.fjordmq.broker.config;

import io.fjordmq.broker.delivery.DeliverySettings;
import io.fjordmq.broker.http.HttpSettings;
import io.fjordmq.broker.limits.OverloadSettings;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.broker.security.SecuritySettings;
import io.fjordmq.broker.session.SessionSettings;
import io.fjordmq.broker.session.TenantLimits;
import io.fjordmq.broker.sys.SysTopicsSettings;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.membership.JoinSettings;
import io.fjordmq.cluster.membership.MembershipSettings;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.peer.PeerSettings;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.kv.RocksKvSettings;
import io.fjordmq.range.placement.PlacementSettings;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.store.RangeStoreSettings;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.router.RouterSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All configuration keys. The component names are the keys in the file; {@link #defaults()} holds
 * the default of every key.
 *
 * @param bootstrap whether the first node creates the cluster at its first start
 * @param dataDir directory of everything that must survive a restart; relative to the working
 *     directory of the process
 * @param logDir directory of the log files
 * @param mqttServerConfig listeners for clients
 * @param clusterConfig addresses and TLS of this node within the cluster
 * @param joinConfig how a node finds its cluster
 * @param membershipConfig leases of nodes
 * @param placementConfig placement of replicas on nodes
 * @param peerConfig calls between nodes
 * @param raftPortConfig Raft between nodes
 * @param drainConfig draining a node before it stops
 * @param httpConfig the HTTP port: metrics, health and status
 * @param securityConfig authentication and access rules
 * @param sessionConfig limits of a client
 * @param tenantConfig limits of a tenant
 * @param overloadConfig thresholds above which new work is refused
 * @param sysTopicsConfig the $SYS topics
 * @param deliveryConfig limits of delivery to connected clients
 * @param nodesConfig limits of messages queued for other nodes
 * @param storeConfig the three replicated stores
 * @param splitConfig splitting and merging ranges by load and size
 * @param routerConfig routes: topic filter to receivers
 * @param inboxConfig persistent sessions
 * @param retainConfig retained messages
 * @param rangeClientConfig the clients of the stores
 * @param rangeConfig replicas of the stores' ranges
 * @param diskConfig the disk of dataDir
 * @param storageConfig the state database
 * @param consensusConfig Raft groups and their log
 * @param metadataConfig the metadata group
 * @param tenants limits of the tenants that override some
 * @param plugins settings of plugins, by {@code name.key}
 */
public record BrokerConfig(
    boolean bootstrap,
    String dataDir,
    String logDir,
    MqttServerConfig mqttServerConfig,
    ClusterConfig clusterConfig,
    JoinConfig joinConfig,
    MembershipSettings membershipConfig,
    PlacementConfig placementConfig,
    PeerSettings peerConfig,
    TransportSettings raftPortConfig,
    DrainConfig drainConfig,
    HttpSettings httpConfig,
    SecuritySettings securityConfig,
    SessionSettings sessionConfig,
    TenantSettings tenantConfig,
    OverloadSettings overloadConfig,
    SysTopicsSettings sysTopicsConfig,
    DeliverySettings deliveryConfig,
    NodesSettings nodesConfig,
    StoreConfig storeConfig,
    SplitConfig splitConfig,
    RouterSettings routerConfig,
    InboxSettings inboxConfig,
    RetainSettings retainConfig,
    RangeClientSettings rangeClientConfig,
    RangeConfig rangeConfig,
    DiskConfig diskConfig,
    RocksKvSettings storageConfig,
    ConsensusSettings consensusConfig,
    MetadataSettings metadataConfig,
    Map<String, TenantLimits> tenants,
    Map<String, String> plugins) {

  private static final int USUAL_VOTERS = 3;

  public BrokerConfig {
    require(!dataDir.isBlank(), "dataDir must not be empty");
    require(!logDir.isBlank(), "logDir must not be empty");
    SizeLimitChecks.requireFit(
        "sessionConfig", sessionConfig, rangeClientConfig, rangeConfig, consensusConfig);
    SizeLimitChecks.requireAnswered("sessionConfig", sessionConfig, rangeClientConfig, peerConfig);
    SizeLimitChecks.requireCarried(
        peerConfig, raftPortConfig, nodesConfig, rangeClientConfig, rangeConfig, consensusConfig);
    tenants = Map.copyOf(tenants);
    plugins = Map.copyOf(plugins);
    for (Map.Entry<String, TenantLimits> tenant : tenants.entrySet()) {
      String section = "tenants." + tenant.getKey() + ".sessionConfig";
      SessionSettings sessions = tenant.getValue().session();
      SizeLimitChecks.requireFit(
          section, sessions, rangeClientConfig, rangeConfig, consensusConfig);
      SizeLimitChecks.requireAnswered(section, sessions, rangeClientConfig, peerConfig);
    }
    require(
        metadataConfig.maxBatchBytes() <= consensusConfig.maxEntryBytes(),
        "metadataConfig.maxBatchBytes must be at most consensusConfig.maxEntryBytes ("
            + consensusConfig.maxEntryBytes()
            + "), not "
            + metadataConfig.maxBatchBytes());
  }

  /**
   * The replicated stores.
   *
   * @param leaderTimeout how long a start waits for the ranges and until the node serves clients
   * @param sweepInterval interval of the sweeps for expired sessions and messages and stale routes
   * @param dist routes
   * @param inbox persistent sessions
   * @param retain retained messages
   */
  public record StoreConfig(
      Duration leaderTimeout,
      Duration sweepInterval,
      RangesConfig dist,
      RangesConfig inbox,
      RangesConfig retain) {
    /** The ranges by the name of the store. */
    public Map<String, RangesConfig> byStore() {
      return Map.of("dist", dist, "inbox", inbox, "retain", retain);
    }

    public StoreConfig {
      require(leaderTimeout.toSeconds() >= 1, "leaderTimeout must be at least 1 s");
      require(sweepInterval.toMillis() >= 10, "sweepInterval must be at least 10 ms");
    }
  }

  /**
   * The ranges of one store.
   *
   * @param replicaVoterCount voters of each range in a new cluster; 0 for 3, or as many as there
   *     are nodes
   * @param splitByLoad whether ranges are split by load
   * @param ioNanosLimit mean storage time per command, in nanoseconds, above which a range is not
   *     split
   * @param maxIoDensity requests per second above which a range is split
   */
  public record RangesConfig(
      int replicaVoterCount, boolean splitByLoad, long ioNanosLimit, int maxIoDensity) {
    public RangesConfig {
      require(
          replicaVoterCount >= 0 && replicaVoterCount <= StorePlacement.MAX_VOTERS,
          "replicaVoterCount must be 0 to 5, not " + replicaVoterCount);
      require(ioNanosLimit >= 1, "ioNanosLimit must be at least 1, not " + ioNanosLimit);
      require(maxIoDensity >= 1, "maxIoDensity must be at least 1, not " + maxIoDensity);
    }

    private StorePlacement placement(String store, boolean onEveryNode) {
      int voters = replicaVoterCount == 0 ? USUAL_VOTERS : replicaVoterCount;
      return new StorePlacement(store, voters, onEveryNode);
    }
  }

  /**
   * Replicas of ranges: {@link RangeStoreSettings} without the directory, and the query threads.
   *
   * @param queryThreads number of threads that run queries; each may block on the disk
   * @param maxWaitingQueries limit of queries that wait for a thread
   */
  public record RangeConfig(
      int maxEntryBytes,
      long maxWriteBytes,
      int maxSenders,
      Duration checkpointInterval,
      long checkpointLogBytes,
      Duration reopenBackoff,
      Duration maxReopenBackoff,
      int queryThreads,
      int maxWaitingQueries) {
    public RangeConfig {
      require(queryThreads >= 1, "queryThreads must be at least 1, not " + queryThreads);
      require(
          maxWaitingQueries >= 1, "maxWaitingQueries must be at least 1, not " + maxWaitingQueries);
      // Validates the other values.
      new RangeStoreSettings(
          Path.of(""),
          maxEntryBytes,
          maxWriteBytes,
          maxSenders,
          checkpointInterval,
          checkpointLogBytes,
          reopenBackoff,
          maxReopenBackoff);
    }

    private static RangeConfig of(RangeStoreSettings standard) {
      return new RangeConfig(
          standard.maxEntryBytes(),
          standard.maxWriteBytes(),
          standard.maxSenders(),
          standard.checkpointInterval(),
          standard.checkpointLogBytes(),
          standard.reopenBackoff(),
          standard.maxReopenBackoff(),
          2,
          1_024);
    }

    /** The settings of the range store. */
    public RangeStoreSettings replicas(Path installDirectory) {
      return new RangeStoreSettings(
          installDirectory,
          maxEntryBytes,
          maxWriteBytes,
          maxSenders,
          checkpointInterval,
          checkpointLogBytes,
          reopenBackoff,
          maxReopenBackoff);
    }
  }

  /**
   * The disk of dataDir.
   *
   * @param minFreeBytes free space below which messages that have to be stored are refused; 0 to
   *     accept them until the disk is full
   * @param checkInterval interval of the measurements
   * @param slowAfter duration from which a write counts as slow, so that other nodes take over
   *     leadership; while a write is stuck for twice that, the node is suspended
   */
  public record DiskConfig(long minFreeBytes, Duration checkInterval, Duration slowAfter) {
    public DiskConfig {
      require(minFreeBytes >= 0, "minFreeBytes must not be negative: " + minFreeBytes);
      require(checkInterval.toMillis() >= 10, "checkInterval must be at least 10 ms");
      require(slowAfter.toMillis() >= 100, "slowAfter must be at least 100 ms");
    }
  }

  /** The defaults of all keys, also those of optional sections. */
  static BrokerConfig defaults() {
    return new BrokerConfig(
        false,
        "data",
        "logs",
        MqttServerConfig.defaults(),
        new ClusterConfig("Test", "", 8899, "", "", "", "", "", ""),
        JoinConfig.of(JoinSettings.of(false, new NodeAddress("localhost", 8899), List.of())),
        MembershipSettings.DEFAULT,
        PlacementConfig.from(PlacementSettings.defaults(List.of())),
        PeerSettings.DEFAULT,
        TransportSettings.DEFAULT,
        new DrainConfig(Duration.ofSeconds(30), 500),
        HttpSettings.DEFAULTS,
        SecuritySettings.DEFAULTS,
        SessionSettings.defaults(),
        TenantSettings.DEFAULTS,
        OverloadSettings.DEFAULTS,
        SysTopicsSettings.DEFAULTS,
        DeliverySettings.DEFAULTS,
        NodesSettings.DEFAULTS,
        new StoreConfig(Duration.ofMinutes(5), Duration.ofSeconds(1), ranges(), ranges(), ranges()),
        SplitConfig.DEFAULTS,
        RouterSettings.DEFAULTS,
        InboxSettings.DEFAULT,
        RetainSettings.DEFAULTS,
        RangeClientSettings.DEFAULTS,
        RangeConfig.of(RangeStoreSettings.defaults(Path.of(""))),
        new DiskConfig(256L << 20, Duration.ofSeconds(1), Duration.ofSeconds(2)),
        RocksKvSettings.DEFAULTS,
        ConsensusSettings.DEFAULT,
        MetadataSettings.DEFAULT,
        Map.of(),
        Map.of());
  }

  /** A copy with the sections whose keys the operator names: tenants and plugins. */
  BrokerConfig withNamed(Map<String, TenantLimits> ownLimits, Map<String, String> pluginValues) {
    return new BrokerConfig(
        bootstrap,
        dataDir,
        logDir,
        mqttServerConfig,
        clusterConfig,
        joinConfig,
        membershipConfig,
        placementConfig,
        peerConfig,
        raftPortConfig,
        drainConfig,
        httpConfig,
        securityConfig,
        sessionConfig,
        tenantConfig,
        overloadConfig,
        sysTopicsConfig,
        deliveryConfig,
        nodesConfig,
        storeConfig,
        splitConfig,
        routerConfig,
        inboxConfig,
        retainConfig,
        rangeClientConfig,
        rangeConfig,
        diskConfig,
        storageConfig,
        consensusConfig,
        metadataConfig,
        ownLimits,
        pluginValues);
  }

  /** The limits of all tenants that override none. */
  public TenantLimits sharedLimits() {
    return new TenantLimits(sessionConfig, tenantConfig, inboxConfig.limits());
  }

  /** The settings of placement. Every node matches topics itself, so it holds all routes. */
  public PlacementSettings placement() {
    return placementConfig.of(
        List.of(
            storeConfig.dist().placement("dist", true),
            storeConfig.inbox().placement("inbox", false),
            storeConfig.retain().placement("retain", false)));
  }

  /**
   * The number of file descriptors used by connections and table files if all limits are reached.
   */
  public long maxFileDescriptors() {
    long connections =
        mqttServerConfig.listeners().stream()
            .mapToLong(listener -> listener.socket().maxConnections())
            .sum();
    return connections + httpConfig.maxConnections() + storageConfig.maxOpenFiles();
  }

  /** The stores whose voter count is configured. */
  public Set<String> configuredVoterCounts() {
    Set<String> chosen = new HashSet<>();
    storeConfig
        .byStore()
        .forEach(
            (store, ranges) -> {
              if (ranges.replicaVoterCount() > 0) {
                chosen.add(store);
              }
            });
    return chosen;
  }

  private static RangesConfig ranges() {
    return new RangesConfig(0, true, 30_000, 20_000);
  }

  /**
   * @param fault begins with the name of the component
   */
  private static void require(boolean valid, String fault) {
    if (!valid) {
      throw new IllegalArgumentException(fault);
    }
  }
}
