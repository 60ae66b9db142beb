package io.fjordmq.broker.session;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import io.fjordmq.broker.limits.ClientIdBinding;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: where client identifiers are not bound to a user, a session and its queue survive a
 * takeover by another user, unless that user requests a clean start.
 */
class UnboundClientIdTest {
  /** A user may read {@code all/…} and topics below its name; clients without a user may do all. */
  private static final Authenticator BY_NAME =
      attempt ->
          new Authentication.Allow(
                  new Identity(
                      "t",
                      attempt.userName(),
                      attempt.userName() == null ? null : permissionsOf(attempt.userName()),
                      Map.of()))
              .now();

  private final TestCluster cluster =
      new TestCluster(2, TestSecurity.of(BY_NAME), ClientIdBinding.NONE);

  private static Permissions permissionsOf(String name) {
    return new Permissions(
        List.of(Rule.allow(Access.READ, "all/#"), Rule.allow(Access.READ, name + "/#")));
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private TestClient connect(int node, String user, boolean clean, int expirySeconds) {
    MqttProperties properties = new MqttProperties();
    properties.add(new IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, expirySeconds));
    return cluster
        .node(node)
        .open()
        .connect(
            to ->
                to.protocolVersion(MqttVersion.MQTT_5)
                    .clientId("c")
                    .cleanSession(clean)
                    .properties(properties)
                    .hasUser(true)
                    .username(user)
                    .hasPassword(true)
                    .password("x".getBytes(StandardCharsets.UTF_8)));
  }

  private void createOfflineSessionOfAlice() {
    TestClient alice = connect(0, "alice", false, 1_000);
    alice.expect("CONNACK 0");
    alice.subscribe(1, "alice/#", 1).expect("SUBACK 1 [1]");
    alice.disconnect();
    cluster.node(0).connect("p").publish(1, 1, "alice/a", "m").expect("PUBACK 1");
  }

  @ParameterizedTest(name = "at node {0}")
  @ValueSource(ints = {0, 1})
  void shouldDisconnectAUserWhoMayNotReadTheQueuedMessages(int node) {
    createOfflineSessionOfAlice();
    connect(node, "bob", false, 0).expect("CONNACK 0 present", "DISCONNECT 87");
    connect(1 - node, "alice", false, 1_000)
        .expect("CONNACK 0 present", "PUBLISH q1 id=1 alice/a m");
  }

  @Test
  void shouldKeepTheSessionAfterAnotherUserDisconnects() {
    TestClient alice = connect(0, "alice", false, 1_000);
    alice.expect("CONNACK 0");
    alice.subscribe(1, "all/#", 1).expect("SUBACK 1 [1]");
    alice.disconnect();

    TestClient bob = connect(1, "bob", false, 0);
    bob.expect("CONNACK 0 present");
    bob.disconnect();

    cluster.node(0).connect("p").publish(1, 1, "all/a", "m").expect("PUBACK 1");
    connect(0, "alice", false, 1_000).expect("CONNACK 0 present", "PUBLISH q1 id=1 all/a m");
  }

  @Test
  void shouldDiscardTheSessionAtCleanStart() {
    createOfflineSessionOfAlice();
    connect(1, "bob", true, 1_000).expect("CONNACK 0");
    connect(0, "alice", false, 1_000).expect("CONNACK 0 present");
  }
}
