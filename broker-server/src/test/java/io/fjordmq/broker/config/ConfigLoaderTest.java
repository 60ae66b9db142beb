package io.fjordmq.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fjordmq.broker.config.ConfigLoader.CommandLine;
import io.fjordmq.broker.limits.ConnectionLimits;
import io.fjordmq.broker.net.ListenerSettings;
import io.fjordmq.broker.revocation.CrlSettings;
import io.fjordmq.broker.revocation.OcspSettings;
import io.fjordmq.broker.revocation.UnknownStatusPolicy;
import io.fjordmq.broker.session.TenantLimits;
import io.fjordmq.inbox.InboxLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Valid and invalid files, environment variables and system properties. */
class ConfigLoaderTest {
  @TempDir Path dir;

  private final Properties properties = new Properties();
  private Map<String, String> environment = Map.of();

  @Test
  void shouldLoadTheMinimalClusterFile() throws Exception {
    ConfigLoader.LoadedConfig loaded =
        load(
            """
            bootstrap: true            # first node, first start only
            mqttServerConfig:
              tcpListener:
                port: 1883
            clusterConfig:
              env: Test
              host: 192.168.0.11       # empty: detected automatically
              port: 8899
              clusterDomainName:
              seedEndpoints: 192.168.0.11:8899,192.168.0.12:8899,192.168.0.13:8899
            """);
    BrokerConfig config = loaded.config();
    assertThat(config.bootstrap()).isTrue();
    assertThat(config.mqttServerConfig().tcpListener())
        .isEqualTo(BrokerConfig.defaults().mqttServerConfig().tcpListener());
    assertThat(config.clusterConfig().host()).isEqualTo("192.168.0.11");
    assertThat(config.httpConfig()).isEqualTo(BrokerConfig.defaults().httpConfig());
    assertThat(loaded.warnings()).isEmpty();
  }

  @Test
  void shouldLoadAClusterFromTheEnvironmentAlone() throws Exception {
    environment =
        Map.of("FJORDMQ_EXPECTNODES", "3", "FJORDMQ_CLUSTERCONFIG__CLUSTERDOMAINNAME", "fjordmq");
    BrokerConfig config = load("").config();
    assertThat(config.expectNodes()).isEqualTo(3);
    assertThat(config.clusterConfig().clusterDomainName()).isEqualTo("fjordmq");
  }

  @Test
  void shouldRejectExpectedNodesThatCannotFormACluster() {
    String seeds = "clusterConfig:\n  seedEndpoints: a:1,b:1\n";
    assertThat(problemsOf("expectNodes: 1\n" + seeds))
        .contains("expectNodes must be 0 or between 2 and 100, not 1")
        .contains("set bootstrap: true");
    assertThat(problemsOf("expectNodes: 3\nbootstrap: true\n" + seeds))
        .contains("bootstrap and expectNodes cannot be combined");
    assertThat(problemsOf("expectNodes: 3\n"))
        .contains("expectNodes needs clusterConfig.seedEndpoints");
  }

  @Test
  void shouldOpenOnlyTheListenersInTheFile() throws Exception {
    assertThat(load("bootstrap: true").config().mqttServerConfig().listeners()).isEmpty();
    MqttServerConfig one = load("mqttServerConfig:\n  wsListener:\n").config().mqttServerConfig();
    assertThat(one.wsListener()).isEqualTo(MqttServerConfig.defaults().wsListener());
    assertThat(one.listeners()).hasSize(1);
  }

  @Test
  void shouldOpenSeveralListenersOfTheSameKind() throws Exception {
    String file =
        """
        mqttServerConfig:
          tcpListener:
            - port: 1884
            - port: 1885
              proxyProtocol: true
              proxyTrusted: [192.0.2.7, 10.0.0.0/8]
          unixListener:
            path: /run/mqtt
        """;
    assertThat(load(file).config().mqttServerConfig().listeners())
        .extracting(ListenerSettings::key)
        .containsExactly(
            "mqttServerConfig.tcpListener.0",
            "mqttServerConfig.tcpListener.1",
            "mqttServerConfig.unixListener");
    environment =
        Map.of(
            "FJORDMQ_MQTTSERVERCONFIG__TCPLISTENER__1__PORT", "1886",
            "FJORDMQ_MQTTSERVERCONFIG__UNIXLISTENER__PATH", "/run/other");
    MqttServerConfig changed = load(file).config().mqttServerConfig();
    assertThat(changed.tcpListener().get(0).endpoint().port()).isEqualTo(1884);
    assertThat(changed.tcpListener().get(1).endpoint().port()).isEqualTo(1886);
    assertThat(changed.tcpListener().get(1).proxy().proxyTrusted())
        .containsExactly("192.0.2.7", "10.0.0.0/8");
    assertThat(changed.unixListener().get(0).endpoint().path()).isEqualTo("/run/other");
    properties.setProperty("mqttServerConfig.tcpListener.2.port", "1887");
    assertThat(load(file).config().mqttServerConfig().tcpListener()).hasSize(3);
  }

  @Test
  void shouldNameTheInvalidListener() {
    String two = "mqttServerConfig:\n  wsListener:\n  - port: 8083\n  - ";
    assertThat(problemsOf(two + "port: x\n"))
        .contains("line 4: mqttServerConfig.wsListener.1.port must be a whole number");
    assertThat(problemsOf(two + "path: mqtt\n"))
        .contains("line 4: mqttServerConfig.wsListener.1.path must begin with '/'");
    assertThat(problemsOf(two + "prt: 1\n"))
        .contains("unknown key mqttServerConfig.wsListener.1.prt")
        .endsWith("did you mean mqttServerConfig.wsListener.port?");
    assertThat(problemsOf(two + "8083\n")).contains("must be a section like the other");
    assertThat(problemsOf("mqttServerConfig:\n  wsListener: []\n")).contains("is a section");
    assertThat(problemsOf("logDir: [a, b]\n"))
        .contains("logDir must be a single value, not a list");
    environment = Map.of("FJORDMQ_MQTTSERVERCONFIG__WSLISTENER__3__PORT", "1");
    assertThat(problemsOf(two + "port: 1\n"))
        .isEqualTo(
            "environment variable FJORDMQ_MQTTSERVERCONFIG__WSLISTENER__3__PORT:"
                + " mqttServerConfig.wsListener.3 is set but mqttServerConfig.wsListener.2 is not;"
                + " number the elements from 0 without gaps");
  }

  @Test
  void shouldRejectInvalidTlsAndProxySettingsOfListeners() {
    String tls = "mqttServerConfig:\n  tlsListener:\n    ";
    assertThat(problemsOf(tls + "clientAuth: required\n"))
        .contains("line 3: mqttServerConfig.tlsListener.clientAuth requires trustFile");
    assertThat(problemsOf(tls + "protocols: TLSv1.1\n"))
        .contains("mqttServerConfig.tlsListener.protocols must be TLSv1.3 and TLSv1.2");
    assertThat(problemsOf(tls + "trustFile: a.pem\n")).contains("clientAuth is none");
    String tcp = "mqttServerConfig:\n  tcpListener:\n    ";
    assertThat(problemsOf(tcp + "proxyProtocol: true\n"))
        .contains("tcpListener.proxyProtocol requires the addresses of the proxies");
    assertThat(problemsOf(tcp + "proxyTrusted: proxy.example\n"))
        .contains("tcpListener.proxyTrusted must be addresses");
    assertThat(problemsOf(tcp + "certFile: a.pem\n"))
        .endsWith("did you mean mqttServerConfig.tlsListener.certFile?");
  }

  @Test
  void shouldUseTheGeneralLimitsWhereATenantSetsNone() throws Exception {
    BrokerConfig config =
        load("""
        userConfig:
          maxConnections: 2
        addressConfig:
          connectionsPerSecond: 4
        securityConfig:
          crl:
            path: lists
            onError: ignore
          ocsp:
            nonce: required
        sessionConfig:
          maxInflight: 7
        tenants:
          acme:
            sessionConfig:
              maxSubscriptions: 3
            tenantConfig:
              maxConnections: 5
            userConfig:
              publishesPerSecond: 9
          example.org:
            inboxConfig:
              limits:
                whenFull: refuse
        """)
            .config();
    assertThat(config.tenants()).containsOnlyKeys("acme", "example.org");
    TenantLimits acme = Objects.requireNonNull(config.tenants().get("acme"));
    assertThat(acme.session().maxInflight()).isEqualTo(7);
    assertThat(acme.session().maxSubscriptions()).isEqualTo(3);
    assertThat(acme.tenant().maxConnections()).isEqualTo(5);
    assertThat(acme.user()).isEqualTo(new ConnectionLimits(2, 0, 9));
    assertThat(config.addressConfig()).isEqualTo(new ConnectionLimits(0, 4, 0));
    assertThat(config.securityConfig().crl())
        .isEqualTo(new CrlSettings("lists", UnknownStatusPolicy.IGNORE));
    assertThat(config.securityConfig().ocsp().nonce()).isEqualTo(OcspSettings.Nonce.REQUIRED);
    assertThat(acme.inbox()).isEqualTo(config.inboxConfig().limits());
    TenantLimits other = Objects.requireNonNull(config.tenants().get("example.org"));
    assertThat(other.session()).isEqualTo(config.sessionConfig());
    assertThat(other.inbox().whenFull()).isEqualTo(InboxLimits.WhenFull.REFUSE);
  }

  @Test
  void shouldReportInvalidTenants() throws Exception {
    assertThat(problemsOf("tenants:\n  acme:\n    sessionConfig:\n      maxInflght: 3\n"))
        .contains(
            "unknown key tenants.acme.sessionConfig.maxInflght;"
                + " did you mean tenants.acme.sessionConfig.maxInflight?");
    assertThat(problemsOf("tenants:\n  acme:\n    sessionConfig:\n      maxInflight: -3\n"))
        .contains("tenants.acme.sessionConfig.maxInflight must be between 1 and 65534, not -3");
    assertThat(problemsOf("tenants:\n  acme:\n    sessionConfig:\n      maxPacketBytes: 8 MiB\n"))
        .contains("a packet of tenants.acme.sessionConfig.maxPacketBytes");
    assertThat(problemsOf("tenants:\n  acme:\n    sessionConfig:\n      connectTimeout: 8 s\n"))
        .contains("unknown key tenants.acme.sessionConfig.connectTimeout");
    assertThat(problemsOf("tenants:\n  acme: 5\n")).contains("tenants.acme is a section");
    assertThat(problemsOf("tenants:\n  acme:\n    dataDir: x\n"))
        .contains("unknown key tenants.acme.dataDir");
  }

  @Test
  void shouldPreferPropertiesToTheEnvironmentAndBothToTheFile() throws Exception {
    environment = Map.of("FJORDMQ_CLUSTERCONFIG__PORT", "9001", "FJORDMQ_LogDir", "elsewhere");
    BrokerConfig fromEnvironment = load("clusterConfig:\n  port: 9000\n").config();
    assertThat(fromEnvironment.clusterConfig().port()).isEqualTo(9001);
    assertThat(fromEnvironment.logDir()).isEqualTo("elsewhere");

    properties.setProperty("clusterConfig.port", "9002");
    assertThat(load("clusterConfig:\n  port: 9000\n").config().clusterConfig().port())
        .isEqualTo(9002);
  }

  @Test
  void shouldFindEveryKeyByTheNameOfItsVariable() {
    ConfigSchema schema = ConfigSchema.of(BrokerConfig.defaults());
    for (String key : schema.keys().keySet()) {
      assertThat(schema.findIgnoringCase(key.toUpperCase(Locale.ROOT))).isEqualTo(key);
    }
  }

  @Test
  void shouldReadSeedsAndLimitsOfTenantsFromTheEnvironment() throws Exception {
    environment =
        Map.of(
            "FJORDMQ_CLUSTERCONFIG__SEEDENDPOINTS",
            "host1:8899,host2:8899",
            "FJORDMQ_TENANTS__Acme__SESSIONCONFIG__MAXINFLIGHT",
            "3",
            "FJORDMQ_TENANTS__Acme__INBOXCONFIG__LIMITS__WHENFULL",
            "refuse");
    BrokerConfig config =
        load("tenants:\n  Acme:\n    sessionConfig:\n      maxInflight: 7\n").config();
    assertThat(config.clusterConfig().seedEndpoints()).isEqualTo("host1:8899,host2:8899");
    assertThat(config.tenants()).containsOnlyKeys("Acme");
    TenantLimits acme = Objects.requireNonNull(config.tenants().get("Acme"));
    assertThat(acme.session().maxInflight()).isEqualTo(3);
    assertThat(acme.inbox().whenFull()).isEqualTo(InboxLimits.WhenFull.REFUSE);

    environment = Map.of("FJORDMQ_TENANTS__Acme__SESSIONCONFIG__MAXINFLGHT", "3");
    assertThat(problemsOf(""))
        .contains("FJORDMQ_TENANTS__Acme__SESSIONCONFIG__MAXINFLGHT: unknown");
  }

  @Test
  void shouldPreferTheCommandLineToEverythingElse() throws Exception {
    environment = Map.of("FJORDMQ_DATADIR", "from-environment");
    CommandLine commandLine =
        new CommandLine(writeFile("dataDir: from-file"), "from-command", null);
    BrokerConfig config = ConfigLoader.load(commandLine, environment, properties).config();
    assertThat(config.dataDir()).isEqualTo("from-command");
  }

  @Test
  void shouldReadStoreVariablesUnderTheNamesThatToolsUse() throws Exception {
    properties.setProperty("inbox_store_io_nanos_limit", "50000");
    environment = Map.of("dist_worker_replica_voter_count", "1");
    ConfigLoader.LoadedConfig loaded = load("");
    assertThat(loaded.config().storeConfig().inbox().splitLimits().ioNanosLimit())
        .isEqualTo(50_000);
    assertThat(loaded.config().storeConfig().dist().replicaVoterCount()).isEqualTo(1);
    assertThat(loaded.warnings()).isEmpty();
  }

  @Test
  void shouldNameFileLineReasonAndNearestKeyOfAnUnknownKey() {
    assertThat(problemsOf("bootstrap: true\nclusterConfig:\n  prot: 8899\n"))
        .isEqualTo(
            dir.resolve("test.yml")
                + " line 3: unknown key clusterConfig.prot; did you mean clusterConfig.port?");
  }

  @Test
  void shouldNameTheKeyAndTheReasonOfAnInvalidValue() {
    assertThat(problemsOf("clusterConfig:\n  port: 70000\n"))
        .endsWith(
            "line 2: clusterConfig.port must be between 1 and 65534 (Raft uses the next port), not"
                + " 70000");
    assertThat(problemsOf("bootstrap: maybe\n"))
        .endsWith("line 1: bootstrap must be true or false, not 'maybe'");
    assertThat(problemsOf("mqttServerConfig:\n  tcpListener:\n    port: 18 83\n"))
        .contains("line 3: mqttServerConfig.tcpListener.port must be a whole number");
    assertThat(problemsOf("clusterConfig:\n  seedEndpoints: one,two\n"))
        .contains(
            "line 2: clusterConfig.seedEndpoints must be a comma-separated list of host:port");
  }

  @Test
  void shouldNameTheLineOfAnInvalidValueInARecordOfAnotherModule() {
    assertThat(problemsOf("rangeConfig:\n  maxSenders: 0\n"))
        .endsWith("line 2: rangeConfig.maxSenders must be at least 1, not 0");
    assertThat(problemsOf("placementConfig:\n  mergeTimeout: 0 s\n"))
        .endsWith("line 2: placementConfig.mergeTimeout in milliseconds must be at least 1, not 0");
    assertThat(problemsOf("storeConfig:\n  inbox:\n    maxIoDensity: 0\n"))
        .endsWith("line 3: storeConfig.inbox.maxIoDensity must be at least 1, not 0");
  }

  @Test
  void shouldRejectSizeLimitsThatExceedADependentLimit() {
    assertThat(problemsOf("sessionConfig:\n  maxPacketBytes: 4 MiB\n"))
        .contains("rangeClientConfig.maxCommandBytes must be at least 5")
        .contains("a packet of sessionConfig.maxPacketBytes");
    assertThat(problemsOf("rangeClientConfig:\n  maxCommandBytes: 5 MiB\n"))
        .contains("rangeConfig.maxEntryBytes must be at least 5242");
    assertThat(problemsOf("rangeConfig:\n  maxEntryBytes: 17 MiB\n"))
        .contains("consensusConfig.maxEntryBytes must be at least 17825792, not 16777216");
    assertThat(problemsOf("rangeClientConfig:\n  maxQueuedBytes: 1 MiB\n"))
        .contains("rangeClientConfig.maxQueuedBytes must be at least 3145728, not 1048576");
  }

  @Test
  void shouldRejectMoreSubscriptionBytesThanFitIntoOneMessage() {
    String problem =
        "peerConfig.maxMessageBytes must be at least 34689024, not 33554432, to hold"
            + " rangeClientConfig.maxBatchResponseBytes and %s.maxSubscriptionBytes";
    String more = "sessionConfig:\n  maxSubscriptionBytes: 30 MiB\n";
    assertThat(problemsOf(more)).contains(problem.formatted("sessionConfig"));
    assertThat(problemsOf("tenants:\n  acme:\n    " + more.replace("  max", "      max")))
        .contains(problem.formatted("tenants.acme.sessionConfig"));
  }

  @Test
  void shouldRejectPagesLargerThanAPeerMessage() {
    for (String key : new String[] {"inboxBufferBytes", "retainedPageBytes"}) {
      assertThat(problemsOf("sessionConfig:\n  " + key + ": 32 MiB\n"))
          .contains("peerConfig.maxMessageBytes must be at least 36962304, not 33554432")
          .contains("and a page of sessionConfig.inboxBufferBytes or retainedPageBytes");
    }
  }

  @Test
  void shouldAcceptLargerPacketsWhenAllDependentLimitsAreRaised() throws Exception {
    String larger =
        "sessionConfig:\n  maxPacketBytes: 4 MiB\n"
            + "rangeClientConfig:\n  maxCommandBytes: 6 MiB\n"
            + "rangeConfig:\n  maxEntryBytes: 7 MiB\n";
    assertThat(load(larger).config().sessionConfig().maxPacketBytes()).isEqualTo(4 << 20);
  }

  @Test
  void shouldReportAllErrorsTogether() {
    assertThat(problemsOf("bootstrap: 7\nhttpConfig:\n  port: -1\nnonsense: 1\n").lines())
        .hasSize(3);
  }

  @Test
  void shouldRejectDuplicateKeysInvalidYamlAndMissingFiles() {
    assertThat(problemsOf("logDir: a\nlogDir: b\n")).contains("line 2: logDir is set twice");
    assertThat(problemsOf("clusterConfig: [1\n")).contains("invalid YAML");
    assertThat(problemsOf("clusterConfig: 5\n"))
        .contains("is a section, not a value; set its keys instead");
    assertThat(problemsOf("logDir:\n  a: 5\n")).contains("logDir must be a single value");
    CommandLine missing = new CommandLine(dir.resolve("none.yml"), null, null);
    assertThat(
            catchThrowableOfType(
                ConfigException.class, () -> ConfigLoader.load(missing, Map.of(), properties)))
        .hasMessageContaining("none.yml: no such file");
  }

  @Test
  void shouldRejectKeysThatThisVersionDoesNotSupport() {
    assertThat(problemsOf("httpConfig:\n  trustFile: a.pem\n"))
        .endsWith(
            "line 2: httpConfig.trustFile is not supported by this version:"
                + " the HTTP port does not verify client certificates; remove the key");
  }

  @Test
  void shouldRejectARangeLimitThatWouldCauseRepeatedSplits() throws Exception {
    assertThat(problemsOf("splitConfig:\n  maxRangeBytes: 16383 KiB\n"))
        .contains(
            "line 2: splitConfig.maxRangeBytes must be at least 16 MiB, or 0 for no limit, not"
                + " 16776192 bytes: sizes are estimates, and smaller ranges would be split"
                + " repeatedly");
    assertThat(problemsOf("splitConfig:\n  maxRangeBytes: -1\n")).contains("maxRangeBytes must");
    for (String allowed : List.of("0", "16 MiB")) {
      assertThat(load("splitConfig:\n  maxRangeBytes: " + allowed + "\n").warnings()).isEmpty();
    }
  }

  @Test
  void shouldRejectInvalidClusterSettings() {
    assertThat(problemsOf("storeConfig:\n  inbox:\n    replicaVoterCount: 6\n"))
        .contains("storeConfig.inbox.replicaVoterCount must be between 0 and 5");
    assertThat(problemsOf("clusterConfig:\n  nodeName: node 1\n"))
        .contains(
            "clusterConfig.nodeName must be 1 to 64 letters, digits, '.', '_', '-' or '@', not"
                + " 'node 1'");
    assertThat(problemsOf("alarmsConfig:\n  descriptorsPercent: 101\n"))
        .contains("alarmsConfig.descriptorsPercent must be between 1 and 100, not 101");
    assertThat(problemsOf("clusterConfig:\n  certFile: node.crt\n"))
        .contains("certFile, keyFile and trustFile must be set together or not at all");
    assertThat(problemsOf("peerConfig:\n  maxMessageBytes: 1 MiB\n"))
        .contains("peerConfig.maxMessageBytes must be at least");
    assertThat(problemsOf("peerConfig:\n  maxQueuedBytes: 16 MiB\n"))
        .contains("peerConfig.maxQueuedBytes must be at least 33619968, not 16777216");
    assertThat(problemsOf("raftPortConfig:\n  maxFrameBytes: 8 MiB\n"))
        .contains("raftPortConfig.maxFrameBytes must be at least");
    assertThat(problemsOf("clusterConfig:\n  port: 65535\n"))
        .contains("clusterConfig.port must be between 1 and 65534 (Raft uses the next port)");
  }

  @Test
  void shouldRejectUnknownVariablesAndPropertiesInKnownSections() {
    environment = Map.of("FJORDMQ_CLUSTERCONFIG__PROT", "1");
    assertThat(problemsOf(""))
        .contains("environment variable FJORDMQ_CLUSTERCONFIG__PROT: unknown key");
    environment = Map.of();
    properties.setProperty("clusterConfig.prot", "1");
    properties.setProperty("inbox_store_voters", "1");
    assertThat(problemsOf("").lines()).hasSize(2);
  }

  @Test
  void shouldOnlyWarnAboutVariablesThatOrchestratorsSet() throws Exception {
    environment =
        Map.of(
            "FJORDMQ_SERVICE_HOST",
            "10.0.0.1",
            "FJORDMQ_JVM_OPTS",
            "-Xmx1g",
            "FJORDMQ_CLUSTER_DIR",
            "c");
    assertThat(load("").warnings())
        .containsExactly(
            "environment variable FJORDMQ_SERVICE_HOST does not match any configuration key and is"
                + " ignored");
  }

  private ConfigLoader.LoadedConfig load(String yaml) throws IOException, ConfigException {
    return ConfigLoader.load(new CommandLine(writeFile(yaml), null, null), environment, properties);
  }

  private String problemsOf(String yaml) {
    return String.join(
        "\n", catchThrowableOfType(ConfigException.class, () -> load(yaml)).problems());
  }

  private Path writeFile(String yaml) throws IOException {
    return Files.writeString(dir.resolve("test.yml"), yaml);
  }

  @Test
  void shouldAcceptPluginSettingsWithAnyName() throws Exception {
    environment = Map.of("FJORDMQ_PLUGINS__MY_AUTH__TOKEN", "from the environment");
    String file =
        """
        plugins:
          my-auth:
            url: http://127.0.0.1/
            token: from the file
        """;
    assertThat(load(file).config().plugins())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("my-auth.url", "http://127.0.0.1/", "my-auth.token", "from the environment"));
  }
}
