package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.broker.system.ApiClient.Response;
import io.fjordmq.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Names, alarms and measured values of three nodes, over the API of any of them. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MonitoringClusterTest {
  private static final int NODES = 3;
  private static final String SETTINGS =
      """
      alarmsConfig:
        checkInterval: 200 ms
        activateAfter: 500 ms
        deactivateAfter: 500 ms
        clockSkew: 1 h
      """;

  private ClusterUnderTest cluster;

  @BeforeAll
  void start(@TempDir Path directory) {
    cluster = ClusterUnderTest.startIn(directory, NODES, SETTINGS);
    awaitReady();
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private void awaitReady() {
    Await.until(
        "the nodes are ready",
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

  private static JsonNode ok(Response response) {
    assertThat(response.status()).as(String.valueOf(response.body())).isEqualTo(200);
    return response.body();
  }

  private static List<String> texts(JsonNode list, String field) {
    List<String> texts = new ArrayList<>();
    list.forEach(element -> texts.add(element.path(field).asString("")));
    return texts;
  }

  /** Returns a response once it is as expected, which takes longer on a busy host. */
  private JsonNode await(int node, String path, Predicate<JsonNode> expected) {
    AtomicReference<JsonNode> last = new AtomicReference<>();
    Await.until(
        path + " of node " + node + " is as expected",
        () -> {
          JsonNode response = ok(api(node).get(path));
          last.set(response);
          return expected.test(response);
        });
    return Objects.requireNonNull(last.get());
  }

  @Test
  void shouldShowNamesAndResourcesOfAllNodes() {
    JsonNode nodes =
        await(
            1,
            "/nodes",
            list ->
                list.valueStream()
                    .allMatch(
                        node ->
                            node.has("disk_total")
                                && !node.get("name")
                                    .asString()
                                    .equals(node.get("node").asString())));
    assertThat(texts(nodes, "name")).hasSize(NODES).doesNotHaveDuplicates();
    for (JsonNode node : nodes) {
      assertThat(node.get("disk_used").asLong()).isPositive();
      assertThat(node.get("disk_low").asBoolean()).isFalse();
      assertThat(node.get("memory_used").asLong()).isBetween(1L, node.get("memory_total").asLong());
      assertThat(node.get("max_fds").asLong()).isGreaterThan(node.get("open_fds").asLong());
      String name = node.get("name").asString();
      assertThat(ok(api(2).get("/nodes/" + name)).get("node")).isEqualTo(node.get("node"));
      assertThat(Scrape.get(cluster.node(3).httpPort(), "/status").body())
          .contains("node " + node.get("node").asString() + "  " + name);
    }
  }

  @Test
  void shouldRaiseOneAlarmWhenANodeIsDownAndRememberIt() {
    assertThat(ok(api(1).get("/alarms")).get("data")).isEmpty();
    JsonNode nodes = ok(api(1).get("/nodes"));
    cluster.node(3).kill();
    JsonNode active =
        await(
            1,
            "/alarms",
            list ->
                list.get("data")
                        .valueStream()
                        .anyMatch(
                            alarm ->
                                alarm.get("name").asString().equals("node_down")
                                    && alarm.get("reported_by").size() == 2)
                    && texts(list.get("data"), "name").contains("range_under_replicated"));
    assertThat(texts(active.get("data"), "name")).containsOnlyOnce("node_down");
    JsonNode down =
        active
            .get("data")
            .valueStream()
            .filter(alarm -> alarm.get("name").asString().equals("node_down"))
            .findFirst()
            .orElseThrow();
    String name = down.at("/details/name").asString();
    assertThat(texts(nodes, "name")).contains(name);
    assertThat(down.get("message").asString()).contains(name);
    assertThat(cluster.node(1).scrape().value("fjordmq_alarms_active{name=\"node_down\"}"))
        .isEqualTo(1);
    JsonNode stopped = ok(api(1).get("/nodes/" + name));
    assertThat(stopped.get("node_status").asString()).isEqualTo("stopped");
    assertThat(stopped.has("version")).isFalse();
    cluster.node(3).restart();
    awaitReady();
    await(2, "/alarms", list -> list.get("data").isEmpty());
    JsonNode history = await(3, "/alarms?activated=false", list -> !list.get("data").isEmpty());
    assertThat(texts(history.get("data"), "name")).contains("node_down");
    assertThat(texts(history.get("data"), "deactivate_at")).allMatch(time -> time.endsWith("Z"));
    Await.until("all nodes forget", () -> api(2).send("DELETE", "/alarms", "").status() == 204);
    assertThat(ok(api(1).get("/alarms?activated=false")).get("data")).isEmpty();
  }

  @Test
  void shouldAddUpTheValuesOfAllNodes() {
    List<Mqtt5Session> sessions = new ArrayList<>();
    try {
      for (int number = 1; number <= NODES; number++) {
        Mqtt5Session session = new Mqtt5Session(cluster.node(number).mqtt(), "counted-" + number);
        sessions.add(session);
        session.connect();
        session.subscribe("counted/" + number, MqttQos.AT_LEAST_ONCE);
      }
      JsonNode current =
          await(1, "/monitor_current", all -> all.get("live_connections").asInt() == NODES);
      assertThat(current.get("topics").asInt()).isEqualTo(NODES);
      assertThat(current.get("subscriptions").asInt()).isEqualTo(NODES);
      JsonNode samples =
          await(
              2,
              "/monitor?latest=60",
              list ->
                  list.valueStream()
                      .anyMatch(
                          sample ->
                              sample.get("nodes").asInt() == NODES
                                  && sample.get("connections").asInt() == NODES));
      for (JsonNode sample : samples) {
        assertThat(sample.get("time_stamp").asLong() % 10_000).isZero();
      }
      String self = ok(api(3).get("/cluster")).get("self").asString();
      assertThat(ok(api(1).get("/monitor/nodes/" + self))).isNotEmpty();
      assertThat(ok(api(1).get("/monitor_current/nodes/" + self)).get("connections").asInt())
          .isEqualTo(1);
      assertThat(ok(api(1).get("/stats"))).hasSize(NODES);
      assertThat(ok(api(1).get("/stats?aggregate=true")).get("connections.count").asInt())
          .isEqualTo(NODES);
      assertThat(ok(api(2).get("/metrics?aggregate=true")).get("client.connected").asInt())
          .isGreaterThanOrEqualTo(NODES);
      assertThat(texts(ok(api(2).get("/metrics")), "node")).hasSize(NODES).contains(self);
    } finally {
      sessions.forEach(Mqtt5Session::close);
    }
  }
}
