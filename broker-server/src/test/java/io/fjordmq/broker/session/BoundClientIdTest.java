package io.fjordmq.broker.session;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.limits.ClientIdBinding;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a session stays bound to its user, at whichever node another user tries to resume it. */
class BoundClientIdTest {
  private static final Authenticator BY_USER_NAME =
      attempt ->
          new Authentication.Allow(new Identity("t", attempt.userName(), null, Map.of())).now();

  private final TestCluster cluster =
      new TestCluster(2, TestSecurity.of(BY_USER_NAME), ClientIdBinding.USERNAME);

  @AfterEach
  void close() {
    cluster.close();
  }

  private TestClient connect(int node, String user, boolean clean, int expirySeconds) {
    return connect(node, user, clean, expirySeconds, MqttVersion.MQTT_5);
  }

  private TestClient connect(
      int node, String user, boolean clean, int expirySeconds, MqttVersion version) {
    MqttProperties properties = new MqttProperties();
    properties.add(new IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, expirySeconds));
    return cluster
        .node(node)
        .open()
        .connect(
            to ->
                to.protocolVersion(version)
                    .clientId("c")
                    .cleanSession(clean)
                    .properties(properties)
                    .hasUser(true)
                    .username(user)
                    .hasPassword(true)
                    .password("x".getBytes(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest(name = "at node {0}, clean start {1}")
  @CsvSource({"0, false", "0, true", "1, false", "1, true"})
  void shouldKeepTheQueuedMessagesOfTheUser(int node, boolean clean) {
    TestClient alice = connect(0, "alice", false, 1_000);
    alice.expect("CONNACK 0");
    alice.subscribe(1, "a", 1).expect("SUBACK 1 [1]");
    alice.disconnect();
    cluster.node(0).connect("p").publish(1, 1, "a", "m").expect("PUBACK 1");

    connect(node, "bob", clean, 1_000).expect("CONNACK 85");
    connect(node, "bob", clean, 1_000, MqttVersion.MQTT_3_1_1).expect("CONNACK 2");

    connect(1 - node, "alice", false, 1_000).expect("CONNACK 0 present", "PUBLISH q1 id=1 a m");
  }

  @ParameterizedTest(name = "at node {0}")
  @ValueSource(ints = {0, 1})
  void shouldNotCloseTheConnectionOfTheOwner(int node) {
    for (int expirySeconds : new int[] {0, 1_000}) {
      TestClient alice = connect(0, "alice", expirySeconds == 0, expirySeconds);
      alice.readAll();
      connect(node, "bob", true, 0).expect("CONNACK 85");
      alice.subscribe(1, "a", 1).expect("SUBACK 1 [1]");
      TestClient again = connect(node, "alice", expirySeconds == 0, expirySeconds);
      again.readAll();
      again.subscribe(2, "a", 1).expect("SUBACK 2 [1]");
      again.disconnect();
    }
  }

  @Test
  void shouldReleaseTheClientIdAfterTheSessionEnds() {
    connect(0, "alice", true, 0).disconnect();
    connect(1, "bob", true, 0).expect("CONNACK 0");
  }
}
