package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The recent events of a client over the API, on the second of three nodes. */
class ClientEventsResourceTest {
  private final TestCluster cluster = new TestCluster(3);
  private final TestRequest api =
      new TestRequest(new ClientEventsResource(cluster.node(1).events), this::settled);

  @AfterEach
  void close() {
    cluster.close();
  }

  private CompletableFuture<Response> settled(CompletableFuture<Response> response) {
    cluster.settle();
    return response;
  }

  private static List<String> texts(JsonNode list, String field) {
    List<String> texts = new ArrayList<>();
    list.get("data").forEach(event -> texts.add(event.get(field).asString()));
    return texts;
  }

  @Test
  void shouldExplainWhatHappenedToAClient() {
    TestClient client = cluster.node(0).connect("c");
    client.subscribe(1, "a/b", 1).readAll();
    client.disconnect();
    JsonNode list = api.get("/clients/c/events");
    assertThat(texts(list, "type")).containsExactly("connected", "subscribed", "disconnected");
    assertThat(texts(list, "node")).containsOnly("n0");
    assertThat(texts(list, "message"))
        .containsExactly(
            "Connected from embedded to tcpListener with MQTT 5; the session is new",
            "Subscribed to a/b with QoS 1",
            "Disconnected: the client sent DISCONNECT");
    assertThat(list.get("meta").toString())
        .isEqualTo("{\"page\":1,\"limit\":10000,\"hasnext\":false,\"count\":3}");
    JsonNode connected = list.get("data").get(0);
    assertThat(connected.get("at").asString()).matches("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z");
    assertThat(connected.get("session_present").asBoolean()).isFalse();
    assertThat(connected.get("count").asInt()).isEqualTo(1);
    assertThat(list.get("data").get(1).get("filter").asString()).isEqualTo("a/b");
    JsonNode disconnected = list.get("data").get(2);
    assertThat(disconnected.get("reason").asString()).isEqualTo("client_disconnect");
    assertThat(disconnected.get("last_packet").asString()).isEqualTo("DISCONNECT");
    assertThat(disconnected.has("reason_code")).isFalse();
  }

  @Test
  void shouldNameTheConnectionThatTookOver() {
    cluster.node(0).connectPersistent("c");
    cluster.node(2).connectPersistent("c");
    JsonNode list = api.get("/clients/c/events");
    JsonNode lost =
        list.get("data")
            .valueStream()
            .filter(event -> event.has("by_node"))
            .findFirst()
            .orElseThrow();
    assertThat(lost.get("node").asString()).isEqualTo("n0");
    assertThat(lost.get("by_node").asString()).isEqualTo("n2");
    assertThat(lost.get("reason_code").asInt()).isEqualTo(0x8E);
  }

  @Test
  void shouldShowATenantOnlyItsOwnClients() {
    cluster.node(0).connect("c");
    assertThat(texts(api.get("/clients/c/events?tenant=t"), "type")).containsExactly("connected");
    assertError("/clients/c/events?tenant=u", ErrorCode.CLIENTID_NOT_FOUND);
    api.boundTo("u");
    assertError("/clients/c/events", ErrorCode.CLIENTID_NOT_FOUND);
    assertError("/clients/c/events?tenant=t", ErrorCode.FORBIDDEN);
    api.boundTo("t");
    assertThat(texts(api.get("/clients/c/events"), "type")).containsExactly("connected");
  }

  @Test
  void shouldSayWhichNodesDidNotRespond() {
    cluster.node(1).connect("c");
    cluster.cut(1, 2);
    JsonNode list = api.get("/clients/c/events");
    assertThat(list.get("meta").get("partial")).hasSize(1);
    assertThat(list.get("meta").get("partial").get(0).asString()).startsWith("node n2: ");
    assertError("/clients/unknown/events", ErrorCode.SERVICE_UNAVAILABLE);
    cluster.heal();
    assertError("/clients/unknown/events", ErrorCode.CLIENTID_NOT_FOUND);
  }

  private void assertError(String path, ErrorCode code) {
    assertThatThrownBy(() -> api.send("GET", path, null))
        .isInstanceOfSatisfying(
            ApiException.class, error -> assertThat(error.code()).isEqualTo(code));
  }
}
