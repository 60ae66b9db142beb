package io.fjordmq.auth.sql;

import static io.fjordmq.auth.Chain.provider;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.auth.Chain;
import io.fjordmq.auth.TestCertificates;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A real SQL server with the tables of EMQX, and providers that use it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SqlFixture {
  @TempDir static Path folder;

  private SqlServer server;
  private TestCertificates certificates;

  abstract SqlServer startServer(Path parent, TestCertificates files) throws Exception;

  @BeforeAll
  void start() throws Exception {
    certificates = TestCertificates.in(folder);
    server = startServer(folder, certificates);
  }

  @AfterAll
  void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void createTables() throws Exception {
    server.createEmqxTables();
  }

  SqlServer server() {
    return server;
  }

  TestCertificates certificates() {
    return certificates;
  }

  Map<String, String> settings(String... more) {
    Map<String, String> settings =
        provider(
            "type",
            server.type(),
            "servers",
            server.process().address(),
            "database",
            "mqtt",
            "username",
            "broker",
            "password",
            SqlServer.PASSWORD,
            "timeout",
            "4 s",
            "breakerTime",
            "100 ms");
    settings.putAll(provider(more));
    settings.values().removeIf(String::isEmpty);
    return settings;
  }

  /** Users and rules in the server; the additional settings are for the users. */
  Chain chain(String... more) {
    return Chain.open(List.of(settings(more)), List.of(settings()));
  }

  Chain login(String... more) {
    return Chain.open(List.of(settings(more)), List.of());
  }

  Chain rules(String... more) {
    return Chain.open(List.of(settings()), List.of(settings(more)));
  }

  static ConnectAttempt attempt(String address, String user, String password) throws Exception {
    return new ConnectAttempt(
        "tcpListener",
        InetAddress.getByName(address),
        false,
        null,
        5,
        "c",
        user,
        password.getBytes(StandardCharsets.UTF_8));
  }

  static String result(Chain chain, String address, String user, String password) throws Exception {
    ConnectAdmission admission =
        chain.security().admit(attempt(address, user, password)).get(20, TimeUnit.SECONDS);
    return admission instanceof ConnectAdmission.Refused refused ? refused.detail() : "allow";
  }

  static ClientAccess access(Chain chain, String clientId, String user) throws Exception {
    ConnectAdmission admission = chain.connect(clientId, user, "p");
    assertThat(admission).isInstanceOf(Admitted.class);
    return chain.security().accessOf((Admitted) admission);
  }

  static boolean publish(ClientAccess access, String topic, Qos qos, boolean retain) {
    return Objects.requireNonNull(access.mayPublish(new Topic(topic), qos, retain, 0)).allowed();
  }

  static boolean publish(ClientAccess access, String topic) {
    return publish(access, topic, Qos.AT_MOST_ONCE, false);
  }

  static boolean subscribe(ClientAccess access, String filter) throws Exception {
    return access
        .maySubscribe(new Action.Subscribe(TopicFilter.parse(filter), Qos.AT_LEAST_ONCE))
        .get(10, TimeUnit.SECONDS)
        .allowed();
  }

  static String sha256(String text) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  static String user(String name, String password, String salt, boolean superuser)
      throws Exception {
    return "INSERT INTO mqtt_user(username, password_hash, salt, is_superuser) VALUES ('%s', '%s', '%s', %s)"
        .formatted(name, sha256(salt + password), salt, superuser);
  }

  static String rule(String user, String permission, String action, String topic) {
    return "INSERT INTO mqtt_acl(username, permission, action, topic) VALUES ('%s', '%s', '%s', '%s')"
        .formatted(user, permission, action, topic);
  }
}
