package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.admin.NodeNames;
import io.fjordmq.broker.monitor.TestMonitor;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The measured values of a cluster over the API of one of its nodes. */
class MonitorResourceTest {
  private final TestMonitor monitor = new TestMonitor(3);
  private final TestRequest api =
      new TestRequest(
          new MonitorResource(
              monitor.queries(1),
              new NodeLookup(new NodeNames(monitor.membership(1), key -> null))),
          UnaryOperator.identity());
  private final TestRequest statistics =
      new TestRequest(new StatisticsResource(monitor.queries(1)), UnaryOperator.identity());

  private void assertError(String path, ErrorCode code, String message) {
    assertThatThrownBy(() -> api.send("GET", path, null))
        .isInstanceOfSatisfying(
            ApiException.class,
            error -> {
              assertThat(error.code()).isEqualTo(code);
              assertThat(error.getMessage()).contains(message);
            });
  }

  @Test
  void shouldAddUpTheSamplesOfAllNodes() {
    monitor.run(40);
    JsonNode samples = api.get("/monitor");
    assertThat(samples).hasSize(4);
    assertThat(samples.get(3).toString())
        .isEqualTo(
            "{\"time_stamp\":1800000040000,\"nodes\":3,\"connections\":6,\"live_connections\":6,"
                + "\"disconnected_durable_sessions\":6,\"subscriptions\":33,\"topics\":9,"
                + "\"retained_msg_count\":6,\"received\":60,\"received_bytes\":0,\"sent\":0,"
                + "\"sent_bytes\":0,\"dropped\":0,\"heap_percent\":41,\"disk_percent\":30}");
    assertThat(api.get("/monitor?latest=10")).hasSize(1);
    assertThat(api.get("/monitor/nodes/n2?latest=10").get(0).get("received").asInt()).isEqualTo(30);
  }

  @Test
  void shouldShowCurrentValues() {
    monitor.run(20);
    JsonNode all = api.get("/monitor_current");
    assertThat(all.get("live_connections").asInt()).isEqualTo(6);
    assertThat(all.get("received_msg_rate").asInt()).isEqualTo(6);
    assertThat(all.get("topics").asInt()).isEqualTo(9);
    assertThat(all.has("received")).isFalse();
    assertThat(all.has("partial")).isFalse();
    assertThat(api.get("/monitor_current/nodes/n0").get("connections").asInt()).isEqualTo(1);
  }

  @Test
  void shouldNameNodesThatDoNotRespond() {
    monitor.run(20);
    monitor.cut(1, 2);
    JsonNode samples = api.get("/monitor");
    assertThat(samples.get(0).get("nodes").asInt()).isEqualTo(2);
    assertThat(samples.get(0).at("/partial/0").asString()).startsWith("node n2: ");
    assertThat(api.get("/monitor_current").at("/partial/0").asString()).startsWith("node n2: ");
    assertError("/monitor/nodes/n2", ErrorCode.SERVICE_UNAVAILABLE, "node n2: ");
    assertError("/monitor_current/nodes/n2", ErrorCode.SERVICE_UNAVAILABLE, "node n2: ");
    assertError("/monitor/nodes/n9", ErrorCode.NOT_FOUND, "node 'n9' does not exist");
    JsonNode nodes = statistics.get("/stats");
    assertThat(nodes).hasSize(3);
    assertThat(nodes.get(2).get("node").asString()).isEqualTo("n2");
    assertThat(nodes.get(2).get("partial")).hasSize(1);
    assertThat(nodes.get(2).has("connections.count")).isFalse();
    assertThat(statistics.get("/metrics?aggregate=true").at("/partial/0").asString())
        .startsWith("node n2: ");
  }

  @Test
  void shouldShowStatisticsOfEachNodeAndOfTheCluster() {
    monitor.run(20);
    JsonNode nodes = statistics.get("/stats");
    assertThat(nodes.get(1).toString())
        .isEqualTo(
            "{\"node\":\"n1\",\"connections.count\":2,\"live_connections.count\":2,"
                + "\"subscriptions.count\":11,\"topics.count\":9,\"retained.count\":2,"
                + "\"sessions.count\":4}");
    assertThat(statistics.get("/stats?aggregate=true").toString())
        .isEqualTo(
            "{\"connections.count\":6,\"live_connections.count\":6,\"subscriptions.count\":33,"
                + "\"topics.count\":9,\"retained.count\":6,\"sessions.count\":12}");
  }

  @Test
  void shouldShowCountersOfEachNodeAndOfTheCluster() {
    monitor.run(20);
    assertThat(statistics.get("/metrics").get(2).toString())
        .isEqualTo("{\"node\":\"n2\",\"messages.received\":60}");
    assertThat(statistics.get("/metrics?aggregate=true").toString())
        .isEqualTo("{\"messages.received\":120}");
  }
}
