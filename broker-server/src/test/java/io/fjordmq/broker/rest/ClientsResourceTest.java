package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.query.QueryFixture;
import io.fjordmq.broker.testing.TestClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Clients over the API, on the second of three nodes. */
class ClientsResourceTest {
  private final QueryFixture nodes = new QueryFixture(3);
  private final TestRequest api =
      new TestRequest(
          new ClientsResource(nodes.queries(1).clients(), NodeLookups.of("n0", "n1", "n2")),
          nodes::settled);

  @AfterEach
  void close() {
    nodes.close();
  }

  private static List<String> ids(JsonNode list) {
    List<String> ids = new ArrayList<>();
    list.get("data").forEach(client -> ids.add(client.get("clientid").asString()));
    return ids;
  }

  private void assertError(String method, String path, ErrorCode code, String message) {
    assertThatThrownBy(() -> api.send(method, path, null))
        .isInstanceOfSatisfying(
            ApiException.class,
            error -> {
              assertThat(error.code()).isEqualTo(code);
              assertThat(error).hasMessageContaining(message);
            });
  }

  @Test
  void shouldListClientsPageByPage() {
    for (int i = 0; i < 25; i++) {
      nodes.cluster.node(i % 3).connect("client-" + i);
    }
    JsonNode all = api.get("/clients");
    assertThat(all.get("meta").toString())
        .isEqualTo("{\"page\":1,\"limit\":100,\"hasnext\":false,\"count\":25}");
    assertThat(ids(all)).hasSize(25);
    JsonNode second = api.get("/clients?page=2&limit=10");
    assertThat(ids(second)).isEqualTo(ids(all).subList(10, 20));
    assertThat(second.get("meta").get("hasnext").asBoolean()).isTrue();
    assertThat(second.get("meta").get("count").asInt()).isEqualTo(25);
    JsonNode third =
        api.get("/clients?limit=10&cursor=" + second.get("meta").get("cursor").asString());
    assertThat(ids(third)).isEqualTo(ids(all).subList(20, 25));
    assertThat(third.get("meta").has("cursor")).isFalse();
    assertError("GET", "/clients?cursor=nonsense", ErrorCode.BAD_REQUEST, "cursor");
    assertError("GET", "/clients?page=100000&limit=10000", ErrorCode.NOT_FOUND, "page");
  }

  @Test
  void shouldNotContinueAfterTheTimeout() {
    nodes.cluster.node(0).connect("c");
    TestRequest late =
        new TestRequest(
                new ClientsResource(nodes.queries(1).clients(), NodeLookups.of("n0", "n1", "n2")),
                nodes::settled)
            .expired();
    assertThatThrownBy(() -> late.send("POST", "/clients/kickout/bulk", "[\"c\"]"))
        .isInstanceOfSatisfying(
            ApiException.class, error -> assertThat(error.code()).isEqualTo(ErrorCode.TIMEOUT));
    assertThat(ids(api.get("/clients"))).containsExactly("c");
  }

  @Test
  void shouldFindManyNamedClients() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      names.add("c" + i);
      nodes.cluster.node(i % 3).connect("c" + i);
    }
    String query = "?clientid=" + String.join("&clientid=", names);
    assertThat(ids(api.get("/clients" + query))).isEqualTo(names);
  }

  @Test
  void shouldFilterLikeEmqx() {
    nodes.cluster.node(0).connect("sensor-1");
    nodes.cluster.node(2).connectPersistent("sensor-2").disconnect();
    nodes.cluster.node(2).connect("meter");
    assertThat(ids(api.get("/clients?like_clientid=sensor"))).hasSize(2);
    assertThat(ids(api.get("/clients?clientid=meter"))).containsExactly("meter");
    assertThat(ids(api.get("/clients?clientid=meter&clientid=sensor-1&clientid=no"))).hasSize(2);
    assertThat(ids(api.get("/clients?clientid=meter&node=n0"))).isEmpty();
    assertThat(ids(api.get("/clients?node=host-n2"))).isEqualTo(ids(api.get("/clients?node=n2")));
    assertError("GET", "/clients?node=n7", ErrorCode.NOT_FOUND, "node 'n7' does not exist");
    assertThat(ids(api.get("/clients?conn_state=disconnected"))).containsExactly("sensor-2");
    assertThat(ids(api.get("/clients?conn_state=connected&node=n2&proto_ver=5&clean_start=true")))
        .containsExactly("meter");
    assertThat(ids(api.get("/clients?lte_connected_at=1970-01-01T00:00:00Z"))).isEmpty();
    assertThat(ids(api.get("/clients?username=nobody"))).isEmpty();
    assertThat(ids(api.get("/clients?tenant=other"))).isEmpty();
  }

  @Test
  void shouldShowAConnectedClient() {
    TestClient client = nodes.cluster.node(0).connectPersistent("c");
    client.subscribe(1, "a", 1).readAll();
    nodes.cluster.node(2).connect("p").publish(1, 1, "a", "x").readAll();
    JsonNode shown = api.get("/clients/c");
    assertThat(shown.get("clientid").asString()).isEqualTo("c");
    assertThat(shown.get("tenant").asString()).isEqualTo("t");
    assertThat(shown.get("node").asString()).isEqualTo("n0");
    assertThat(shown.get("connected").asBoolean()).isTrue();
    assertThat(shown.get("conn_state").asString()).isEqualTo("connected");
    assertThat(shown.get("proto_name").asString()).isEqualTo("MQTT");
    assertThat(shown.get("proto_ver").asInt()).isEqualTo(5);
    assertThat(shown.get("clean_start").asBoolean()).isFalse();
    assertThat(shown.get("expiry_interval").asInt()).isEqualTo(1_000);
    assertThat(shown.get("is_persistent").asBoolean()).isTrue();
    assertThat(shown.get("subscriptions_cnt").asInt()).isEqualTo(1);
    assertThat(shown.get("inflight_cnt").asInt()).isEqualTo(1);
    assertThat(shown.get("mqueue_len").asInt()).isZero();
    assertThat(shown.get("inbox_messages").asInt()).isEqualTo(1);
    assertThat(shown.get("connected_at").asString()).contains("T").endsWith("Z");
    assertThat(shown.has("disconnected_at")).isFalse();
    assertThat(shown.has("recv_oct")).isFalse();
  }

  @Test
  void shouldShowAnOfflineSession() {
    TestClient client = nodes.cluster.node(0).connectPersistent("c");
    client.subscribe(1, "a", 1).readAll();
    client.disconnect();
    nodes.cluster.node(2).connect("p").publish(1, 1, "a", "x").readAll();
    JsonNode shown = api.get("/clients/c?tenant=t");
    assertThat(shown.get("connected").asBoolean()).isFalse();
    assertThat(shown.get("conn_state").asString()).isEqualTo("disconnected");
    assertThat(shown.get("mqueue_len").asInt()).isEqualTo(1);
    assertThat(shown.get("expiry_interval").asInt()).isEqualTo(1_000);
    assertThat(shown.has("disconnected_at")).isTrue();
    assertThat(shown.has("expires_at")).isTrue();
    assertThat(shown.has("node")).isFalse();
    assertThat(shown.has("inflight_cnt")).isFalse();
    assertError("GET", "/clients/no", ErrorCode.CLIENTID_NOT_FOUND, "client 'no' does not exist");
    assertError("GET", "/clients/c?tenant=x", ErrorCode.CLIENTID_NOT_FOUND, "does not exist");
    assertError("GET", "/clients/%00", ErrorCode.CLIENTID_NOT_FOUND, "does not exist");
  }

  @Test
  void shouldIgnoreNamesThatNoClientHas() {
    nodes.cluster.node(0).connect("c");
    String body = "[" + "\"\",".repeat(999) + "\"c\"]";
    assertThat(api.send("POST", "/clients/kickout/bulk", body).status()).isEqualTo(204);
    assertThat(ids(api.get("/clients"))).isEmpty();
  }

  @Test
  void shouldBeginAtAnyCursor() {
    assertError("GET", "/clients?cursor=", ErrorCode.BAD_REQUEST, "use meta.cursor");
    assertThat(ids(api.get("/clients?cursor=9999..."))).isEmpty();
  }

  @Test
  void shouldKick() {
    TestClient client = nodes.cluster.node(0).connectPersistent("c");
    assertThat(api.send("DELETE", "/clients/c", null).status()).isEqualTo(204);
    assertThat(client.next()).isEqualTo("DISCONNECT 98");
    assertError("DELETE", "/clients/c", ErrorCode.CLIENTID_NOT_FOUND, "does not exist");
    nodes.cluster.node(0).connectPersistent("d").disconnect();
    TestClient other = nodes.cluster.node(2).connect("e");
    String body = "[\"d\", \"no\", \"\\u0000\", \"e\"]";
    assertThat(api.send("POST", "/clients/kickout/bulk", body).status()).isEqualTo(204);
    assertThat(other.isOpen()).isFalse();
    assertThat(ids(api.get("/clients"))).isEmpty();
  }

  @Test
  void shouldConfineCallersToTheirTenant() {
    nodes.cluster.node(0).connect("c");
    api.boundTo("t");
    assertThat(ids(api.get("/clients"))).containsExactly("c");
    assertThat(api.get("/clients").get("meta").get("count").asInt()).isEqualTo(1);
    assertError(
        "GET", "/clients?tenant=other", ErrorCode.FORBIDDEN, "bound to a tenant other than");
    api.boundTo("other");
    assertThat(ids(api.get("/clients"))).isEmpty();
    assertThat(ids(api.get("/clients?clientid=c"))).isEmpty();
    assertError("GET", "/clients/c", ErrorCode.CLIENTID_NOT_FOUND, "does not exist");
    assertError("DELETE", "/clients/c", ErrorCode.CLIENTID_NOT_FOUND, "does not exist");
    assertError("DELETE", "/clients/c?tenant=t", ErrorCode.FORBIDDEN, "a tenant other than");
  }

  @Test
  void shouldSayWhatIsMissing() {
    nodes.cluster.node(0).connect("cut");
    nodes.cluster.node(2).connect("there");
    nodes.cluster.cut(0, 1);
    JsonNode list = api.get("/clients");
    assertThat(ids(list)).containsExactly("there");
    assertThat(list.get("meta").get("partial").get(0).asString()).startsWith("node n0: ");
    assertThat(list.get("meta").has("count")).isFalse();
    assertError("GET", "/clients/cut", ErrorCode.SERVICE_UNAVAILABLE, "node n0");
    assertError("DELETE", "/clients/cut?tenant=t", ErrorCode.SERVICE_UNAVAILABLE, "node n0");
  }
}
