package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.alarms.AlarmKind;
import io.fjordmq.broker.alarms.TestAlarms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The alarms of a cluster over the API of one of its nodes. */
class AlarmsResourceTest {
  private final TestAlarms alarms = new TestAlarms(3);
  private final TestRequest api =
      new TestRequest(new AlarmsResource(alarms.queries(1)), UnaryOperator.identity());

  private static List<String> texts(JsonNode list, String field) {
    List<String> texts = new ArrayList<>();
    list.get("data").forEach(alarm -> texts.add(alarm.get(field).asString()));
    return texts;
  }

  @Test
  void shouldListActiveAlarmsAsEmqxDoes() {
    alarms.check(2, "tlsListener", AlarmKind.CERTIFICATE_EXPIRING);
    alarms.advance(Duration.ofSeconds(90));
    JsonNode list = api.get("/alarms");
    assertThat(list.get("meta").toString())
        .isEqualTo("{\"page\":1,\"limit\":100,\"hasnext\":false,\"count\":1}");
    assertThat(list.get("data").get(0).toString())
        .isEqualTo(
            "{\"name\":\"certificate_expiring\",\"node\":\"n2\",\"reported_by\":[\"n2\"],"
                + "\"message\":\"About tlsListener\",\"details\":{\"of\":\"tlsListener\"},"
                + "\"activate_at\":\"2030-01-01T00:00:00Z\",\"duration\":90000}");
    assertThat(api.get("/alarms?activated=false").get("data")).isEmpty();
  }

  @Test
  void shouldListAnAlarmOfTheClusterOnce() {
    for (int round = 0; round < 2; round++) {
      for (int node = 0; node < 3; node++) {
        alarms.check(node, "n9", AlarmKind.NODE_DOWN);
      }
      alarms.advance(Duration.ofSeconds(10));
    }
    JsonNode list = api.get("/alarms?activated=true");
    assertThat(texts(list, "name")).containsExactly("node_down");
    assertThat(list.at("/data/0/reported_by").toString()).isEqualTo("[\"n0\",\"n1\",\"n2\"]");
  }

  @Test
  void shouldListAndClearTheHistory() {
    for (int node = 0; node < 3; node++) {
      alarms.check(node, "x", AlarmKind.DISK_LOW, AlarmKind.OVERLOADED);
      alarms.advance(Duration.ofSeconds(60));
      alarms.check(node, "x", AlarmKind.OVERLOADED);
    }
    JsonNode history = api.get("/alarms?activated=false&limit=2");
    assertThat(texts(history, "name")).containsExactly("disk_low", "disk_low");
    assertThat(texts(history, "node")).containsExactly("n2", "n1");
    assertThat(texts(history, "deactivate_at").get(0)).isEqualTo("2030-01-01T00:03:00Z");
    assertThat(history.get("data").get(0).get("duration").asLong()).isEqualTo(60_000);
    assertThat(history.get("meta").get("hasnext").asBoolean()).isTrue();
    assertThat(texts(api.get("/alarms?activated=false&limit=2&page=2"), "node"))
        .containsExactly("n0");
    assertThat(api.send("DELETE", "/alarms", null).status()).isEqualTo(204);
    assertThat(api.get("/alarms?activated=false").get("data")).isEmpty();
    assertThat(api.get("/alarms").get("data")).hasSize(3);
  }

  @Test
  void shouldNameNodesThatDoNotRespond() {
    alarms.check(0, "x", AlarmKind.DISK_LOW);
    alarms.cut(1, 2);
    JsonNode list = api.get("/alarms");
    assertThat(texts(list, "node")).containsExactly("n0");
    assertThat(list.at("/meta/partial/0").asString()).startsWith("node n2: ");
    assertThat(list.get("meta").has("count")).isFalse();
    assertThatThrownBy(() -> api.send("DELETE", "/alarms", null))
        .isInstanceOfSatisfying(
            ApiException.class,
            error -> {
              assertThat(error.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
              assertThat(error.getMessage()).contains("node n2: ");
            });
  }
}
