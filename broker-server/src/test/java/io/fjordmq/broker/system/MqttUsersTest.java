package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.DocumentedSection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The database of MQTT users on three nodes, with clients of another vendor and the documented
 * configuration.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MqttUsersTest {
  private static final long SECONDS = 60;
  private static final String USERS = "/authentication/password_based:built_in_database/users";
  private static final String RULES = "/authorization/sources/built_in_database/rules";

  private ClusterUnderTest cluster;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    String example = DocumentedSection.of("AUTHENTICATION.md", "scram").example("yaml", 0);
    cluster = ClusterUnderTest.startIn(directory, 3, example + "  maxLoginFailures: 0\n");
    awaitReady();
    allow(1, "all", "{'rules':[{'permission':'allow','action':'all','topic':'#'}]}");
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private void awaitReady() {
    Await.until(
        "the nodes are ready",
        SECONDS,
        () ->
            cluster.nodes().stream()
                .allMatch(
                    node ->
                        Files.exists(ApiClient.file(node.nodeDirectory()))
                            && Scrape.get(node.httpPort(), "/readyz").status() == 200));
  }

  private ApiClient api(int node) {
    return ApiClient.of(cluster.node(node).nodeDirectory());
  }

  private void send(int node, String method, String path, String body, int status) {
    ApiClient.Response response = api(node).send(method, path, body.replace('\'', '"'));
    assertThat(response.status()).as(String.valueOf(response.body())).isEqualTo(status);
  }

  private void addUser(int node, String name) {
    send(node, "POST", USERS, "{'user_id':'%s','password':'secret'}".formatted(name), 201);
  }

  private void allow(int node, String owner, String body) {
    send(node, owner.equals("all") ? "POST" : "PUT", RULES + "/" + owner, body, 204);
  }

  private void awaitUser(int node, String name) {
    Await.until(
        "user " + name + " on node " + node,
        SECONDS,
        () -> api(node).get(USERS + "/" + name).status() == 200);
  }

  private Mqtt5Session session(int node, String clientId) {
    return new Mqtt5Session(cluster.node(node).mqtt(), clientId);
  }

  private static void login(Mqtt5Session session, String user, String password) {
    session.connect(
        connect -> {
          connect
              .simpleAuth()
              .username(user)
              .password(password.getBytes(StandardCharsets.UTF_8))
              .applySimpleAuth();
          return connect;
        });
  }

  private static void expectRefusal(Mqtt5Session session, String user, String password) {
    assertThatThrownBy(() -> login(session, user, password))
        .rootCause()
        .isInstanceOfSatisfying(
            Mqtt5ConnAckException.class,
            e ->
                assertThat(e.getMqttMessage().getReasonCode())
                    .isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD));
  }

  private static void expectDisconnect(Mqtt5Session session) {
    assertThat(session.disconnectCause())
        .isInstanceOfSatisfying(
            Mqtt5DisconnectException.class,
            disconnect ->
                assertThat(((Mqtt5Disconnect) disconnect.getMqttMessage()).getReasonCode())
                    .isEqualTo(Mqtt5DisconnectReasonCode.ADMINISTRATIVE_ACTION));
  }

  @Test
  void shouldAdmitAUserOnEveryNode() {
    addUser(1, "ann");
    awaitUser(3, "ann");
    try (Mqtt5Session right = session(3, "right");
        Mqtt5Session wrong = session(3, "wrong");
        Mqtt5Session unknown = session(3, "unknown")) {
      login(right, "ann", "secret");
      right.publish("a", MqttQos.AT_LEAST_ONCE, "x");
      expectRefusal(wrong, "ann", "Secret");
      expectRefusal(unknown, "nobody", "secret");
    }
  }

  @Test
  void shouldDisconnectTheClientsOfARemovedUserOnEveryNode() {
    addUser(1, "bob");
    addUser(1, "eve");
    List<Mqtt5Session> ofBob = new ArrayList<>();
    try (Mqtt5Session other = session(2, "other")) {
      for (int node : List.of(1, 2, 3)) {
        awaitUser(node, "bob");
        Mqtt5Session session = session(node, "bob-" + node);
        ofBob.add(session);
        login(session, "bob", "secret");
      }
      awaitUser(2, "eve");
      login(other, "eve", "secret");
      send(2, "DELETE", USERS + "/bob", "", 204);
      ofBob.forEach(MqttUsersTest::expectDisconnect);
      other.publish("a", MqttQos.AT_LEAST_ONCE, "still connected");
      assertThat(api(1).get("/clients/bob-3/events").body().toString())
          .contains("the user was deleted");
      expectRefusal(session(1, "again"), "bob", "secret");
    } finally {
      ofBob.forEach(Mqtt5Session::close);
    }
  }

  @Test
  void shouldApplyChangedRulesWithoutAReconnect() {
    addUser(1, "rue");
    awaitUser(2, "rue");
    try (Mqtt5Session client = session(2, "rue-1")) {
      login(client, "rue", "secret");
      client.subscribe("s/#", MqttQos.AT_LEAST_ONCE);
      client.publish("s/1", MqttQos.AT_LEAST_ONCE, "before");
      assertThat(client.nextText()).isEqualTo("before");
      allow(
          3,
          "users/rue",
          "{'username':'rue','rules':[{'permission':'deny','action':'publish','topic':'s/#'}]}");
      Await.until("the rule applies", SECONDS, () -> isDenied(client, "s/1"));
      client.publish("t", MqttQos.AT_LEAST_ONCE, "allowed");
    }
  }

  private static boolean isDenied(Mqtt5Session client, String topic) {
    return client
        .publishLater(topic, MqttQos.AT_LEAST_ONCE, "x")
        .handle(
            (done, failure) ->
                failure instanceof Mqtt5PubAckException
                    || done != null && done.getError().isPresent())
        .join();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SCRAM-SHA-256", "SCRAM-SHA-512"})
  void shouldAuthenticateWithScram(String mechanism) {
    String user = "u,=" + mechanism;
    send(1, "POST", USERS, "{'user_id':'%s','password':'p\u00e4ss\u2168 1'}".formatted(user), 201);
    awaitUser(3, user.replace(",", "%2C").replace("=", "%3D"));
    try (Mqtt5Session right = session(3, "scram-" + mechanism);
        Mqtt5Session wrong = session(3, "wrong-" + mechanism);
        Mqtt5Session unknown = session(3, "unknown-" + mechanism)) {
      loginWithScram(right, new ScramClientMechanism(mechanism, user, "p\u00e4ss\u2168 1"));
      right.publish("a", MqttQos.AT_LEAST_ONCE, "x");
      Mqtt5Session.await(right.client().reauth());
      for (ScramClientMechanism refused :
          List.of(
              new ScramClientMechanism(mechanism, user, "other"),
              new ScramClientMechanism(mechanism, "nobody", "other"))) {
        Mqtt5Session session = refused.isOf(user) ? wrong : unknown;
        assertThatThrownBy(() -> loginWithScram(session, refused))
            .rootCause()
            .isInstanceOfSatisfying(
                Mqtt5ConnAckException.class,
                e ->
                    assertThat(e.getMqttMessage().getReasonCode())
                        .isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD));
      }
      send(
          2,
          "PUT",
          USERS + "/" + user.replace(",", "%2C").replace("=", "%3D"),
          "{'enable':false}",
          200);
      expectDisconnect(right);
    }
  }

  private static void loginWithScram(Mqtt5Session session, ScramClientMechanism mechanism) {
    session.connect(connect -> connect.enhancedAuth(mechanism));
  }

  @Test
  void shouldLoseNoAcknowledgedUserWhenAllNodesAreKilled() {
    List<String> users = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      addUser(1 + i % 3, "kept-" + i);
      users.add("kept-" + i);
    }
    cluster.nodes().forEach(BrokerUnderTest::kill);
    cluster.nodes().forEach(BrokerUnderTest::relaunch);
    cluster.nodes().forEach(BrokerUnderTest::awaitListening);
    awaitReady();
    for (String user : users) {
      try (Mqtt5Session session = session(3, user)) {
        login(session, user, "secret");
      }
    }
  }
}
