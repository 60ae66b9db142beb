package io.fjordmq.broker.config;

import io.fjordmq.broker.accounts.AccountSettings;
import io.fjordmq.broker.alarms.AlarmSettings;
import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.events.EventsSettings;
import io.fjordmq.broker.flapping.FlappingSettings;
import io.fjordmq.broker.http.HttpSettings;
import io.fjordmq.broker.limits.ConnectionLimits;
import io.fjordmq.broker.limits.OverloadSettings;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.broker.logging.LogSettings;
import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.broker.security.SecuritySettings;
import io.fjordmq.broker.session.TenantLimits;
import io.fjordmq.broker.slow.SlowSubscriptionSettings;
import io.fjordmq.broker.sys.SysTopicsSettings;
import io.fjordmq.broker.telemetry.TelemetrySettings;
import io.fjordmq.broker.trace.TraceSettings;
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
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.router.RouteSettings;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The complete configuration. The names of the record components are the keys in the file; {@link
 * #defaults()} returns the default of every key.
 *
 * @param bootstrap whether this node creates a new cluster on its first start
 * @param expectNodes number of empty nodes that form a new cluster together; 0 if they do not
 * @param dataDir directory for all data that must survive a restart; relative paths are resolved
 *     against the working directory of the process
 * @param logDir directory for log files
 * @param logConfig the log
 * @param mqttServerConfig listeners for clients
 * @param clusterConfig addresses and TLS of this node within the cluster
 * @param joinConfig how a node finds its cluster
 * @param membershipConfig node leases
 * @param placementConfig placement of replicas on nodes
 * @param peerConfig RPCs between nodes
 * @param raftPortConfig the Raft port
 * @param drainConfig draining a node before it stops
 * @param httpConfig the HTTP port for metrics, health and status
 * @param telemetryConfig export of traces, metrics and logs to OpenTelemetry
 * @param apiConfig accounts of the REST API
 * @param securityConfig authentication and access rules
 * @param sessionConfig limits for each client
 * @param tenantConfig limits for each tenant
 * @param userConfig limits for each user of a tenant
 * @param addressConfig limits for each address of clients
 * @param overloadConfig thresholds above which the node refuses new work
 * @param sysTopicsConfig the $SYS topics
 * @param eventsConfig the recent events of clients
 * @param traceConfig traces of clients, topics and addresses
 * @param alarmsConfig when alarms are activated and deactivated
 * @param slowSubscriptionConfig the list of slow subscriptions
 * @param flappingConfig bans of clients that disconnect too often
 * @param deliveryConfig limits for delivery to connected clients
 * @param nodesConfig limits for messages queued for other nodes
 * @param storeConfig the three replicated stores
 * @param splitConfig splitting and merging of ranges by load and size
 * @param routerConfig routes from topic filters to receivers
 * @param inboxConfig persistent sessions
 * @param retainConfig retained messages
 * @param rangeClientConfig the clients that access the ranges of the stores
 * @param rangeConfig the range replicas of the stores
 * @param diskConfig the disk that holds dataDir
 * @param storageConfig the state database
 * @param consensusConfig Raft groups and their logs
 * @param metadataConfig the metadata group
 * @param tenants limits by tenant, for tenants that override any shared limit
 * @param plugins plugin settings, by {@code name.key}
 */
public record BrokerConfig(
    boolean bootstrap,
    int expectNodes,
    String dataDir,
    String logDir,
    LogSettings logConfig,
    MqttServerConfig mqttServerConfig,
    ClusterConfig clusterConfig,
    JoinSettings joinConfig,
    MembershipSettings membershipConfig,
    PlacementSettings placementConfig,
    PeerSettings peerConfig,
    TransportSettings raftPortConfig,
    DrainConfig drainConfig,
    HttpSettings httpConfig,
    TelemetrySettings telemetryConfig,
    AccountSettings apiConfig,
    SecuritySettings securityConfig,
    SessionSettings sessionConfig,
    TenantSettings tenantConfig,
    ConnectionLimits userConfig,
    ConnectionLimits addressConfig,
    OverloadSettings overloadConfig,
    SysTopicsSettings sysTopicsConfig,
    EventsSettings eventsConfig,
    TraceSettings traceConfig,
    AlarmSettings alarmsConfig,
    SlowSubscriptionSettings slowSubscriptionConfig,
    FlappingSettings flappingConfig,
    DeliverySettings deliveryConfig,
    NodesSettings nodesConfig,
    StoreConfig storeConfig,
    SplitConfig splitConfig,
    RouteSettings routerConfig,
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

  private static final int MAX_EXPECT_NODES = 100;

  public BrokerConfig {
    require(
        expectNodes == 0 || (expectNodes >= 2 && expectNodes <= MAX_EXPECT_NODES),
        "expectNodes must be 0 or between 2 and "
            + MAX_EXPECT_NODES
            + ", not "
            + expectNodes
            + "; to create a cluster with a single node, set bootstrap: true");
    require(
        expectNodes == 0 || !bootstrap,
        "bootstrap and expectNodes cannot be combined: set bootstrap: false, or remove"
            + " expectNodes");
    require(
        expectNodes == 0 || clusterConfig.hasSeeds(),
        "expectNodes needs clusterConfig.seedEndpoints or clusterConfig.clusterDomainName, through"
            + " which the nodes find each other");
    require(!dataDir.isBlank(), "dataDir must not be empty");
    require(!logDir.isBlank(), "logDir must not be empty");
    SizeLimitChecks.requireFit(
        "sessionConfig", sessionConfig, rangeClientConfig, rangeConfig, consensusConfig);
    SizeLimitChecks.requireResponseSize(
        "sessionConfig", sessionConfig, rangeClientConfig, peerConfig);
    SizeLimitChecks.requireEntrySize(
        peerConfig, raftPortConfig, nodesConfig, rangeClientConfig, rangeConfig, consensusConfig);
    tenants = Map.copyOf(tenants);
    plugins = Map.copyOf(plugins);
    for (Map.Entry<String, TenantLimits> tenant : tenants.entrySet()) {
      String section = "tenants." + tenant.getKey() + ".sessionConfig";
      SessionSettings sessions = tenant.getValue().session();
      SizeLimitChecks.requireFit(
          section, sessions, rangeClientConfig, rangeConfig, consensusConfig);
      SizeLimitChecks.requireResponseSize(section, sessions, rangeClientConfig, peerConfig);
    }
    require(
        metadataConfig.maxBatchBytes() <= consensusConfig.maxEntryBytes(),
        "metadataConfig.maxBatchBytes must be at most consensusConfig.maxEntryBytes ("
            + consensusConfig.maxEntryBytes()
            + "), not "
            + metadataConfig.maxBatchBytes());
  }

  /** The defaults of all keys, including those in optional sections. */
  static BrokerConfig defaults() {
    return new BrokerConfig(
        false,
        0,
        "data",
        "logs",
        LogSettings.DEFAULTS,
        MqttServerConfig.defaults(),
        new ClusterConfig("Test", "", "", 8899, "", "", "", "", "", ""),
        JoinSettings.DEFAULTS,
        MembershipSettings.DEFAULT,
        PlacementSettings.DEFAULTS,
        PeerSettings.DEFAULT,
        TransportSettings.DEFAULT,
        new DrainConfig(false, Duration.ofSeconds(30), 500),
        HttpSettings.DEFAULTS,
        TelemetrySettings.DEFAULTS,
        AccountSettings.DEFAULTS,
        SecuritySettings.DEFAULTS,
        SessionSettings.defaults(),
        TenantSettings.DEFAULTS,
        ConnectionLimits.NONE,
        ConnectionLimits.NONE,
        OverloadSettings.DEFAULTS,
        SysTopicsSettings.DEFAULTS,
        EventsSettings.DEFAULTS,
        TraceSettings.DEFAULTS,
        AlarmSettings.DEFAULTS,
        SlowSubscriptionSettings.DEFAULTS,
        FlappingSettings.DEFAULTS,
        DeliverySettings.DEFAULTS,
        NodesSettings.DEFAULTS,
        StoreConfig.DEFAULTS,
        SplitConfig.DEFAULTS,
        RouteSettings.DEFAULTS,
        InboxSettings.DEFAULT,
        RetainSettings.DEFAULTS,
        RangeClientSettings.DEFAULTS,
        RangeConfig.DEFAULTS,
        DiskConfig.DEFAULTS,
        RocksKvSettings.DEFAULTS,
        ConsensusSettings.DEFAULT,
        MetadataSettings.DEFAULT,
        Map.of(),
        Map.of());
  }

  /**
   * A copy with the given tenants, plugins and providers, the sections whose keys are not fixed.
   *
   * @param security the security settings with the providers
   */
  BrokerConfig withNamed(
      Map<String, TenantLimits> ownLimits,
      Map<String, String> pluginValues,
      SecuritySettings security) {
    return new BrokerConfig(
        bootstrap,
        expectNodes,
        dataDir,
        logDir,
        logConfig,
        mqttServerConfig,
        clusterConfig,
        joinConfig,
        membershipConfig,
        placementConfig,
        peerConfig,
        raftPortConfig,
        drainConfig,
        httpConfig,
        telemetryConfig,
        apiConfig,
        security,
        sessionConfig,
        tenantConfig,
        userConfig,
        addressConfig,
        overloadConfig,
        sysTopicsConfig,
        eventsConfig,
        traceConfig,
        alarmsConfig,
        slowSubscriptionConfig,
        flappingConfig,
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

  /** The limits of tenants that do not override any. */
  public TenantLimits sharedLimits() {
    return new TenantLimits(sessionConfig, tenantConfig, userConfig, inboxConfig.limits());
  }

  /**
   * The replica placement of each store. Every node holds all routes because it matches topics
   * locally.
   */
  public List<StorePlacement> storePlacements() {
    return List.of(
        storeConfig.dist().placement("dist", true),
        storeConfig.inbox().placement("inbox", false),
        storeConfig.retain().placement("retain", false));
  }

  /**
   * The number of file descriptors that connections and table files use when every limit is
   * reached.
   */
  public long maxFileDescriptors() {
    long connections =
        mqttServerConfig.listeners().stream()
            .mapToLong(listener -> listener.socket().maxConnections())
            .sum();
    return connections + httpConfig.maxConnections() + storageConfig.maxOpenFiles();
  }

  /** The stores whose voter count this configuration sets. */
  public Set<String> storesWithVoterCount() {
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

  /**
   * @param fault the message; begins with the name of the component
   */
  private static void require(boolean valid, String fault) {
    if (!valid) {
      throw new IllegalArgumentException(fault);
    }
  }
}
