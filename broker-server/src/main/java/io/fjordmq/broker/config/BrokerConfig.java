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
 * Everything an operator can set. The names of the components are the keys of the file; {@link
 * #defaults()} holds the value of every key that is not given.
 *
 * @param bootstrap at the first start of the cluster's first node: create the cluster
 * @param dataDir folder of everything that must survive a restart; relative to the folder the
 *     process is started in
 * @param logDir folder of the log files
 * @param mqttServerConfig listeners for clients
 * @param clusterConfig this node among others
 * @param joinConfig how a node finds its cluster
 * @param membershipConfig who counts as alive
 * @param placementConfig who holds which replicas
 * @param peerConfig calls between nodes
 * @param raftPortConfig Raft between nodes
 * @param drainConfig how a node gives away its clients
 * @param httpConfig metrics and health
 * @param securityConfig who may connect and do what
 * @param sessionConfig limits of a client
 * @param tenantConfig limits of a tenant
 * @param overloadConfig when new work is refused
 * @param sysTopicsConfig which $SYS topics there are
 * @param deliveryConfig bounds of delivery to connected clients
 * @param nodesConfig bounds of what waits for other nodes
 * @param storeConfig the three replicated stores
 * @param splitConfig when ranges are split by their load
 * @param routerConfig topic filter to receivers
 * @param inboxConfig persistent sessions
 * @param retainConfig retained messages
 * @param rangeClientConfig how the stores are called
 * @param rangeConfig replicas of the stores' ranges
 * @param diskConfig the disk of dataDir
 * @param storageConfig the database of the replicas' state
 * @param consensusConfig Raft groups and their log
 * @param metadataConfig the cluster's own records
 * @param tenants limits of tenants that have some of their own
 * @param plugins settings of plugins: {@code name.key} to value
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
    require(!dataDir.isBlank(), "dataDir must name a folder");
    require(!logDir.isBlank(), "logDir must name a folder");
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
        "metadataConfig.maxBatchBytes must be at most consensusConfig.maxEntryBytes, "
            + consensusConfig.maxEntryBytes());
  }

  /**
   * The replicated stores.
   *
   * @param leaderTimeout how long a start waits until every range has a leader
   * @param sweepInterval how often what has expired is looked for
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
    /** Under the names that the stores have. */
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
   * @param replicaVoterCount copies of each range that vote in a new cluster; 0 for 3, or as many
   *     as there are nodes
   * @param splitByLoad whether they are split by their load
   * @param ioNanosLimit mean time per command in storage, nanoseconds, above which a range is not
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
   * Replicas of ranges: {@link RangeStoreSettings} without the folder, and their threads.
   *
   * @param queryThreads run queries; each may wait for the disk
   * @param maxWaitingQueries that may wait for one of them
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
      require(maxWaitingQueries >= 1, "maxWaitingQueries must be at least 1");
      // Refuses what it cannot work with.
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

    /** What the range store takes. */
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
   * @param minFreeBytes less free than this: what would have to be stored is refused; 0: it is
   *     taken until the disk is full
   * @param checkInterval how often that is looked at
   * @param slowAfter from which on a write is slow: other nodes are asked to lead. While one is
   *     stuck for longer than twice that, the node rests
   */
  public record DiskConfig(long minFreeBytes, Duration checkInterval, Duration slowAfter) {
    public DiskConfig {
      require(minFreeBytes >= 0, "minFreeBytes must not be negative, not " + minFreeBytes);
      require(checkInterval.toMillis() >= 10, "checkInterval must be at least 10 ms");
      require(slowAfter.toMillis() >= 100, "slowAfter must be at least 100 ms");
    }
  }

  /** The value of every key that is not given; sections that are only there if named, too. */
  static BrokerConfig defaults() {
    return new BrokerConfig(
        false,
        "data",
        "logs",
        MqttServerConfig.defaults(),
        new ClusterConfig("Test", "", 8899, "", "", "", "", "", ""),
        JoinConfig.of(JoinSettings.of(false, new NodeAddress("localhost", 8899), List.of())),
        MembershipSettings.DEFAULT,
        PlacementConfig.standing(PlacementSettings.defaults(List.of())),
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

  /** The same with what the operator gave names to: tenants and plugins. */
  BrokerConfig withNamed(Map<String, TenantLimits> own, Map<String, String> ofPlugins) {
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
        own,
        ofPlugins);
  }

  /** The limits of every tenant that has none of its own. */
  public TenantLimits sharedLimits() {
    return new TenantLimits(sessionConfig, tenantConfig, inboxConfig.limits());
  }

  /** What the placement takes. Every node matches topics itself, so it has all routes. */
  public PlacementSettings placement() {
    return placementConfig.of(
        List.of(
            storeConfig.dist().placement("dist", true),
            storeConfig.inbox().placement("inbox", false),
            storeConfig.retain().placement("retain", false)));
  }

  /** File descriptors that connections and table files may take, if all limits are reached. */
  public long mostDescriptors() {
    long connections =
        mqttServerConfig.listeners().stream()
            .mapToLong(listener -> listener.socket().maxConnections())
            .sum();
    return connections + httpConfig.maxConnections() + storageConfig.maxOpenFiles();
  }

  /** The stores for which it says how many voters they have. */
  public Set<String> chosenVoters() {
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
   * @param fault begins with the name of the component it is about
   */
  private static void require(boolean good, String fault) {
    if (!good) {
      throw new IllegalArgumentException(fault);
    }
  }
}
