package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttClientState;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import io.fjordmq.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Bans on three nodes: each node enforces what an operator requests from any of them. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BansTest {
  private ClusterUnderTest cluster;

  @BeforeAll
  void start(@TempDir Path directory) {
    cluster = ClusterUnderTest.startIn(directory, 3, "");
    Await.until(
        "the nodes are ready",
        () ->
            cluster.nodes().stream()
                .allMatch(
                    node ->
                        Files.exists(ApiClient.file(node.nodeDirectory()))
                            && Scrape.get(node.httpPort(), "/readyz").status() == 200));
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private ApiClient api(int node) {
    return ApiClient.of(cluster.node(node).nodeDirectory());
  }

  private void ban(int node, String kind, String value) {
    String body = "{\"as\":\"%s\",\"who\":\"%s\"}".formatted(kind, value);
    ApiClient.Response response = api(node).send("POST", "/banned", body);
    assertThat(response.status()).as(String.valueOf(response.body())).isEqualTo(200);
  }

  private void unban(int node, String kind, String value) {
    ApiClient.Response response =
        api(node).send("DELETE", "/banned/" + kind + "/" + value.replace("/", "%2F"), "");
    assertThat(response.status()).as(String.valueOf(response.body())).isEqualTo(204);
  }

  /** Each node enforces a change once it has applied it, and not before. */
  private void awaitBansOnEveryNode(int count) {
    for (int node : List.of(1, 2, 3)) {
      Await.until(
          count + " bans on node " + node,
          () -> api(node).get("/banned").body().get("meta").get("count").asInt() == count);
    }
  }

  private void assertBanned(int node, String clientId) {
    try (Mqtt5Session refused = new Mqtt5Session(cluster.node(node).mqtt(), clientId)) {
      assertThatThrownBy(refused::connect)
          .rootCause()
          .isInstanceOfSatisfying(
              Mqtt5ConnAckException.class,
              e ->
                  assertThat(e.getMqttMessage().getReasonCode())
                      .isEqualTo(Mqtt5ConnAckReasonCode.BANNED));
    }
  }

  private static void assertDisconnected(Mqtt5Session session) {
    assertThat(session.disconnectCause())
        .isInstanceOfSatisfying(
            Mqtt5DisconnectException.class,
            disconnect ->
                assertThat(((Mqtt5Disconnect) disconnect.getMqttMessage()).getReasonCode())
                    .isEqualTo(Mqtt5DisconnectReasonCode.ADMINISTRATIVE_ACTION));
  }

  @Test
  void shouldBanAClientIdentifierOnEveryNode() {
    try (Mqtt5Session noisy = new Mqtt5Session(cluster.node(2).mqtt(), "noisy");
        Mqtt5Session quiet = new Mqtt5Session(cluster.node(2).mqtt(), "quiet")) {
      noisy.connect();
      quiet.connect();
      ban(1, "clientid", "noisy");
      assertDisconnected(noisy);
      assertThat(quiet.client().getState()).isEqualTo(MqttClientState.CONNECTED);
      awaitBansOnEveryNode(1);
      for (int node : List.of(1, 2, 3)) {
        assertBanned(node, "noisy");
      }
      assertThat(
              cluster.node(2).scrape().value("fjordmq_connections_closed_total{reason=\"banned\"}"))
          .isOne();
    }
    unban(3, "clientid", "noisy");
    awaitBansOnEveryNode(0);
    try (Mqtt5Session again = new Mqtt5Session(cluster.node(2).mqtt(), "noisy")) {
      again.connect();
    }
  }

  @Test
  void shouldBanANetworkOnEveryNode() {
    try (Mqtt5Session client = new Mqtt5Session(cluster.node(3).mqtt(), "local")) {
      client.connect();
      ban(2, "peerhost_net", "127.0.0.0/8");
      assertDisconnected(client);
      awaitBansOnEveryNode(1);
      assertBanned(1, "other");
    }
    assertThat(api(1).send("DELETE", "/banned", "").status()).isEqualTo(204);
    awaitBansOnEveryNode(0);
    try (Mqtt5Session again = new Mqtt5Session(cluster.node(3).mqtt(), "local")) {
      again.connect();
    }
  }
}
