package io.fjordmq.broker.mosquitto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigException;
import io.fjordmq.broker.config.ConfigLoader;
import io.fjordmq.broker.config.ConfigLoader.CommandLine;
import io.fjordmq.broker.net.Endpoint;
import io.fjordmq.broker.net.ListenerSettings;
import io.fjordmq.broker.net.TlsSettings.ClientCertificate;
import io.fjordmq.broker.security.SecuritySettings.Anonymous;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Configuration files of mosquitto become valid files of FjordMQ. */
class MosquittoImportTest {
  @TempDir Path dir;

  private MosquittoImport convert(String conf) throws IOException {
    Path file = dir.resolve("mosquitto.conf");
    Files.writeString(file, conf);
    return MosquittoImport.of(file);
  }

  /** Loads the converted file, which must be valid. */
  private BrokerConfig load(MosquittoImport result) throws IOException, ConfigException {
    Path file = dir.resolve("standalone.yml");
    Files.writeString(file, result.yaml());
    return ConfigLoader.load(new CommandLine(file, null, null)).config();
  }

  @Test
  void shouldServeOnlyThisHostWithoutAListener() throws Exception {
    MosquittoImport result = convert("# nothing\n\npersistence true\n");
    BrokerConfig config = load(result);
    assertThat(config.bootstrap()).isTrue();
    assertThat(config.mqttServerConfig().tcpListener().get(0).endpoint())
        .isEqualTo(new Endpoint.Tcp("127.0.0.1", 1883));
    assertThat(config.securityConfig().allowAnonymous()).isEqualTo(Anonymous.TRUE);
    assertThat(result.notes()).isEmpty();
  }

  @Test
  void shouldNotRevealSecrets() throws Exception {
    MosquittoImport result =
        convert(
            """
            remote_password hush
            bridge_psk hush
            auth_opt_pg_pass hush
            plugin_opt_token hush
            plugin /usr/lib/plugin.so
            """);
    load(result);
    assertThat(result.yaml()).doesNotContain("hush").contains("plugin /usr/lib/plugin.so");
    assertThat(result.notes())
        .hasSize(5)
        .anyMatch(note -> note.contains("line 3: auth_opt_pg_pass (hidden): "))
        .noneMatch(note -> note.contains("hush"));
  }

  @Test
  void shouldConvertListeners() throws Exception {
    MosquittoImport result =
        convert(
            """
            listener 1883
            listener 1884 192.0.2.7
            max_connections 100
            listener 8883
            certfile /etc/mosquitto/it's cert.pem
            keyfile /etc/mosquitto/key.pem
            cafile /etc/mosquitto/ca.pem
            require_certificate true
            use_identity_as_username true
            tls_version tlsv1.3
            listener 9001
            protocol websockets
            listener 9002
            protocol websockets
            certfile /etc/mosquitto/cert.pem
            keyfile /etc/mosquitto/key.pem
            listener 0 /run/mosquitto.sock
            """);
    BrokerConfig config = load(result);
    List<ListenerSettings> listeners = config.mqttServerConfig().listeners();
    assertThat(listeners)
        .extracting(ListenerSettings::key)
        .containsExactly(
            "mqttServerConfig.tcpListener.0",
            "mqttServerConfig.tcpListener.1",
            "mqttServerConfig.tlsListener",
            "mqttServerConfig.wsListener",
            "mqttServerConfig.wssListener",
            "mqttServerConfig.unixListener");
    assertThat(listeners.get(1).endpoint()).isEqualTo(new Endpoint.Tcp("192.0.2.7", 1884));
    assertThat(listeners.get(1).socket().maxConnections()).isEqualTo(100);
    var tls = Objects.requireNonNull(listeners.get(2).tls());
    assertThat(tls.certFile()).isEqualTo("/etc/mosquitto/it's cert.pem");
    assertThat(tls.clientAuth()).isEqualTo(ClientCertificate.REQUIRED);
    assertThat(tls.trustFile()).isEqualTo("/etc/mosquitto/ca.pem");
    assertThat(tls.protocols()).containsExactly("TLSv1.3");
    assertThat(Objects.requireNonNull(listeners.get(4).tls()).clientAuth())
        .isEqualTo(ClientCertificate.NONE);
    assertThat(config.securityConfig().useCommonNameAsUsername()).isTrue();
    assertThat(config.securityConfig().allowAnonymous()).isEqualTo(Anonymous.FALSE);
    assertThat(result.notes())
        .hasSize(2)
        .allMatch(note -> note.contains("protocol websockets: clients must use the path /mqtt"));
  }

  @Test
  void shouldConvertLimitsAndSecurity() throws Exception {
    MosquittoImport result =
        convert(
            """
            port 1885
            bind_address 127.0.0.1
            allow_anonymous true
            password_file /etc/mosquitto/passwd
            acl_file /etc/mosquitto/acl
            max_inflight_messages 10
            max_queued_messages 50
            max_queued_bytes 100000
            message_size_limit 1400000
            max_keepalive 300
            persistent_client_expiration 2w
            sys_interval 30
            global_max_connections 1000
            connection_messages true
            """);
    BrokerConfig config = load(result);
    assertThat(result.notes()).isEmpty();
    assertThat(config.mqttServerConfig().tcpListener().get(0).endpoint())
        .isEqualTo(new Endpoint.Tcp("127.0.0.1", 1885));
    assertThat(config.securityConfig().allowAnonymous()).isEqualTo(Anonymous.TRUE);
    assertThat(config.securityConfig().passwordFile()).isEqualTo("/etc/mosquitto/passwd");
    assertThat(config.securityConfig().aclFile()).isEqualTo("/etc/mosquitto/acl");
    assertThat(config.sessionConfig().maxInflight()).isEqualTo(10);
    assertThat(config.sessionConfig().maxQueuedMessages()).isEqualTo(50);
    assertThat(config.inboxConfig().limits().maxMessages()).isEqualTo(50);
    assertThat(config.inboxConfig().limits().maxBytes()).isEqualTo(100_000);
    assertThat(config.sessionConfig().maxPayloadBytes()).isEqualTo(1_400_000);
    assertThat(config.sessionConfig().maxPacketBytes()).isEqualTo(1_465_536);
    assertThat(config.sessionConfig().maxKeepAliveSeconds()).isEqualTo(300);
    assertThat(config.sessionConfig().maxSessionExpirySeconds()).isEqualTo(1_209_600);
    assertThat(config.sessionConfig().mqtt3SessionExpirySeconds()).isEqualTo(1_209_600);
    assertThat(config.sysTopicsConfig().interval()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.tenantConfig().maxConnections()).isEqualTo(1_000);
    assertThat(config.logConfig().clientConnections()).isTrue();
  }

  @Test
  void shouldSayWhatItCannotCarryOver() throws Exception {
    MosquittoImport result =
        convert(
            """
            listener 1883
            max_inflight_messages 0
            max_packet_size 100000000
            persistence_location /var/lib/mosquitto/
            connection hub
            address hub.example.com:1883
            topic # both 2
            bridge_cafile /etc/ca.pem
            listener 1884
            allow_anonymous maybe
            frobnicate 7
            plugin /usr/lib/dynamic_security.so
            plugin_opt_config_file /etc/dynsec.json
            """);
    load(result);
    assertThat(result.notes())
        .anyMatch(
            note ->
                note.startsWith(
                    "not carried over: mosquitto.conf line 2: max_inflight_messages 0: "))
        .anyMatch(
            note ->
                note.equals(
                    "check: mosquitto.conf line 3: max_packet_size 100000000: set to 1500000;"
                        + " FjordMQ allows 1024 to 1500000 here"))
        .anyMatch(note -> note.contains("line 4: persistence_location /var/lib/mosquitto/: "))
        .anyMatch(note -> note.contains("line 5: connection hub: FjordMQ has no bridges"))
        .noneMatch(note -> note.contains("line 6") || note.contains("line 7"))
        .anyMatch(note -> note.contains("line 10: allow_anonymous maybe: "))
        .anyMatch(note -> note.endsWith("line 11: frobnicate 7: unknown directive"))
        .anyMatch(note -> note.contains("line 12: plugin "))
        .anyMatch(note -> note.contains("line 13: plugin_opt_config_file "))
        .hasSize(8);
    for (String note : result.notes()) {
      assertThat(result.yaml()).contains("# " + note + "\n");
    }
  }

  @Test
  void shouldReportSettingsThatDifferBetweenListeners() throws Exception {
    MosquittoImport result =
        convert(
            """
            per_listener_settings true
            listener 1883 127.0.0.1
            allow_anonymous true
            listener 1884
            allow_anonymous false
            password_file /etc/passwd1
            listener 1885
            password_file /etc/passwd2
            require_certificate true
            """);
    BrokerConfig config = load(result);
    assertThat(config.securityConfig().allowAnonymous()).isEqualTo(Anonymous.FALSE);
    assertThat(config.securityConfig().passwordFile()).isEqualTo("/etc/passwd1");
    assertThat(result.notes())
        .anyMatch(
            note -> note.contains("line 8: password_file /etc/passwd2: FjordMQ has one value"))
        .anyMatch(note -> note.contains("line 7: require_certificate: needs certfile"))
        .anyMatch(note -> note.contains("line 1: per_listener_settings true: "));
  }

  @Test
  void shouldReadIncludedFiles() throws Exception {
    Path included = Files.createDirectory(dir.resolve("conf.d"));
    Files.writeString(included.resolve("b.conf"), "max_keepalive 20\nmax_qos 1\n");
    Files.writeString(included.resolve("a.conf"), "listener 1884\ninclude_dir x\n");
    Files.writeString(included.resolve("ignored.txt"), "listener 1885\n");
    MosquittoImport result = convert("include_dir conf.d\ninclude_dir missing\n");
    BrokerConfig config = load(result);
    assertThat(config.mqttServerConfig().listeners()).hasSize(1);
    assertThat(config.sessionConfig().maxKeepAliveSeconds()).isEqualTo(20);
    assertThat(result.notes())
        .anyMatch(note -> note.contains("b.conf line 2: max_qos 1: "))
        .anyMatch(note -> note.contains("a.conf line 2: include_dir x: "))
        .anyMatch(note -> note.contains("mosquitto.conf line 2: include_dir missing: "))
        .hasSize(3);
  }

  @Test
  void shouldNameAFileThatItCannotRead() {
    Path missing = dir.resolve("missing.conf");
    assertThatThrownBy(() -> MosquittoImport.of(missing))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot read " + missing + ": no such file");
  }
}
