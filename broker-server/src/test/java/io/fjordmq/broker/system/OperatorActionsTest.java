package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import io.fjordmq.broker.system.ApiClient.Response;
import io.fjordmq.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Configuration, evacuation and decommissioning of three nodes, from any of them. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OperatorActionsTest {
  private static final int NODES = 3;
  private static final String LIMIT = "tenantConfig.maxConnections";

  private ClusterUnderTest cluster;

  @BeforeAll
  void start(@TempDir Path directory) {
    cluster = ClusterUnderTest.startIn(directory, NODES, "");
    awaitReady(List.of(1, 2, 3));
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private void awaitReady(List<Integer> nodes) {
    Await.until(
        "the nodes are ready",
        () ->
            nodes.stream()
                .map(cluster::node)
                .allMatch(
                    node ->
                        Files.exists(ApiClient.file(node.nodeDirectory()))
                            && Scrape.get(node.httpPort(), "/readyz").status() == 200));
  }

  private ApiClient api(int node) {
    return ApiClient.of(cluster.node(node).nodeDirectory());
  }

  private String id(int node) {
    return ok(api(node).get("/cluster")).get("self").asString();
  }

  private static JsonNode ok(Response response) {
    assertThat(response.status()).as(String.valueOf(response.body())).isEqualTo(200);
    return response.body();
  }

  private JsonNode config(int node, String key) {
    return ok(api(node).get("/configs/" + key)).get(0);
  }

  private void awaitValue(List<Integer> nodes, String key, String value) {
    for (int node : nodes) {
      Await.until(
          key + " on node " + node, () -> config(node, key).get("value").asString().equals(value));
    }
  }

  private void assertRefused(int node, String clientId, Mqtt5ConnAckReasonCode code) {
    try (Mqtt5Session refused = new Mqtt5Session(cluster.node(node).mqtt(), clientId)) {
      assertThatThrownBy(refused::connect)
          .rootCause()
          .isInstanceOfSatisfying(
              Mqtt5ConnAckException.class,
              e -> assertThat(e.getMqttMessage().getReasonCode()).isEqualTo(code));
    }
  }

  @Test
  @Order(1)
  void shouldChangeALimitOnAllNodes() {
    Response invalid = api(1).send("PUT", "/configs", "{\"values\":{\"" + LIMIT + "\":\"-1\"}}");
    assertThat(invalid.status()).isEqualTo(400);
    assertThat(invalid.body().get("message").asString()).startsWith(LIMIT + " must be between");
    Response fixed = api(1).send("PUT", "/configs", "{\"values\":{\"dataDir\":\"x\"}}");
    assertThat(fixed.status()).isEqualTo(400);
    assertThat(fixed.body().get("message").asString())
        .startsWith("dataDir cannot change while nodes run");
    assertThat(api(1).get("/configs/nothing").status()).isEqualTo(404);

    JsonNode changed =
        ok(api(1).send("PUT", "/configs", "{\"values\":{\"" + LIMIT + "\":1}}")).get(0);
    assertThat(changed.get("origin").asString()).isEqualTo("api");
    awaitValue(List.of(1, 2, 3), LIMIT, "1");
    try (Mqtt5Session only = new Mqtt5Session(cluster.node(3).mqtt(), "only")) {
      only.connect();
      assertRefused(3, "second", Mqtt5ConnAckReasonCode.QUOTA_EXCEEDED);
    }
    String other = id(3);
    JsonNode list = ok(api(2).get("/configs?changed=true&node=" + other)).get("data");
    assertThat(StreamSupport.stream(list.spliterator(), false))
        .anyMatch(entry -> entry.get("key").asString().equals(LIMIT));
  }

  @Test
  @Order(2)
  void shouldKeepTheLimitAfterARestart() {
    cluster.node(3).stop();
    cluster.node(3).restart();
    awaitReady(List.of(3));
    assertThat(config(3, LIMIT).get("value").asString()).isEqualTo("1");
    assertThat(api(2).send("DELETE", "/configs/" + LIMIT, "").status()).isEqualTo(200);
    awaitValue(List.of(1, 2, 3), LIMIT, "0");
    assertThat(api(2).send("DELETE", "/configs/" + LIMIT, "").status()).isEqualTo(404);
  }

  @Test
  @Order(3)
  void shouldAnswerForAllNodes() {
    Await.until("all nodes answer", () -> !ok(api(1).get("/listeners")).get("meta").has("partial"));
    JsonNode listeners = ok(api(1).get("/listeners")).get("data");
    assertThat(listeners).hasSize(NODES);
    TreeSet<String> binds = new TreeSet<>();
    listeners.forEach(listener -> binds.add(listener.get("bind").asString()));
    for (int node = 1; node <= NODES; node++) {
      assertThat(binds).contains("127.0.0.1:" + cluster.node(node).port());
    }
    assertThat(ok(api(2).get("/listeners/tcpListener?node=" + id(3))).get("data")).hasSize(1);
    assertThat(ok(api(2).get("/plugins")).get("data")).isEmpty();

    JsonNode records = ok(api(2).get("/audit?operation_id=changeConfigs")).get("data");
    assertThat(records).hasSizeGreaterThanOrEqualTo(3);
    assertThat(records.get(0).get("node").asString()).isEqualTo(id(1));
    assertThat(records.get(0).get("target").asString()).isEqualTo(LIMIT);
    JsonNode first = ok(api(3).get("/audit?limit=1"));
    String cursor = first.get("meta").get("cursor").asString();
    String encoded = cursor.replace("=", "%3D").replace(",", "%2C");
    assertThat(ok(api(3).get("/audit?limit=1&cursor=" + encoded)).get("data").get(0))
        .isNotEqualTo(first.get("data").get(0));
  }

  @Test
  @Order(4)
  void shouldRebuildAReplicaOfAnotherNode() {
    String range =
        ok(api(1).get("/ranges?store=retain")).get("data").get(0).get("range").asString();
    Response rebuilt = api(1).send("POST", "/ranges/" + range + "/rebuild?node=" + id(2), "");
    assertThat(ok(rebuilt).get("message").asString()).contains("rebuilding");
    assertThat(api(1).send("POST", "/ranges/" + range + "/rebuild?node=none", "").status())
        .isEqualTo(404);
    Await.until(
        "node 2 has a replica again",
        180,
        () ->
            cluster.node(2).scrape().value("fjordmq_range_rebuilds_total{store=\"retain\"}") >= 1);
  }

  @Test
  @Order(5)
  void shouldEvacuateANodeAndTakeClientsAgain() {
    String drained = id(2);
    String path = "/load_rebalance/" + drained + "/evacuation/";
    try (Mqtt5Session client = new Mqtt5Session(cluster.node(2).mqtt(), "evacuated")) {
      client.connect();
      client.subscribe("e/#", MqttQos.AT_LEAST_ONCE);
      ok(api(1).send("POST", path + "start", ""));
      assertThat(client.disconnectCause())
          .isInstanceOfSatisfying(
              Mqtt5DisconnectException.class,
              cause ->
                  assertThat(cause.getMqttMessage().getReasonCode())
                      .isEqualTo(Mqtt5DisconnectReasonCode.USE_ANOTHER_SERVER));
    }
    Await.until(
        "no clients and ranges are left",
        () -> {
          JsonNode status = evacuation(drained);
          return status.get("state").asString().equals("prohibiting")
              && status.get("led_ranges").asInt() == 0;
        });
    assertThat(ok(api(3).get("/nodes/" + drained)).get("state").asString()).isEqualTo("draining");
    assertRefused(2, "new", Mqtt5ConnAckReasonCode.USE_ANOTHER_SERVER);
    assertThat(api(3).send("POST", path + "start", "{}").status()).isEqualTo(409);

    ok(api(3).send("POST", path + "stop", ""));
    assertThat(api(3).send("POST", path + "stop", "").status()).isEqualTo(409);
    assertThat(evacuation(drained).get("state").asString()).isEqualTo("disabled");
    try (Mqtt5Session client = new Mqtt5Session(cluster.node(2).mqtt(), "new")) {
      client.connect();
    }
    assertThat(api(1).send("POST", "/load_rebalance/none/evacuation/start", "{}").status())
        .isEqualTo(404);
  }

  private JsonNode evacuation(String node) {
    JsonNode all = ok(api(1).get("/load_rebalance/status")).get("data");
    return StreamSupport.stream(all.spliterator(), false)
        .filter(one -> one.get("node").asString().equals(node))
        .findFirst()
        .orElseThrow();
  }

  @Test
  @Order(6)
  void shouldDecommissionANode() {
    String leaving = id(3);
    Response begun = api(1).send("POST", "/nodes/" + leaving + "/decommission", "");
    assertThat(ok(begun).get("message").asString()).isNotEmpty();
    assertThat(cluster.node(3).awaitEnd(180)).isZero();
    Await.until(
        "the node is no longer a member", () -> api(1).get("/nodes/" + leaving).status() == 404);
    assertThat(api(1).send("POST", "/nodes/" + leaving + "/decommission", "").status())
        .isEqualTo(404);
  }
}
