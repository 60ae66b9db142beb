package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.query.QueryFixture;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Subscriptions over the API, on the second of three nodes. */
class SubscriptionsResourceTest {
  private final QueryFixture nodes = new QueryFixture(3);
  private final TestRequest api =
      new TestRequest(
          new SubscriptionsResource(
              nodes.queries(1).subscriptions(),
              nodes.queries(1).clients(),
              NodeLookups.of("n0", "n1", "n2")),
          nodes::settled);

  @AfterEach
  void close() {
    nodes.close();
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(
        row -> texts.add(row.get("clientid").asString() + " " + row.get("topic").asString()));
    return texts;
  }

  private List<String> list(String query) {
    return texts(api.get("/subscriptions" + query).get("data"));
  }

  private void assertError(
      String method, String path, @Nullable String body, ErrorCode code, String text) {
    assertThatThrownBy(() -> api.send(method, path, body))
        .isInstanceOfSatisfying(
            ApiException.class,
            error -> {
              assertThat(error.code()).isEqualTo(code);
              assertThat(error).hasMessageContaining(text);
            });
  }

  @Test
  void shouldListTheSubscriptionsOfAllClientsPageByPage() {
    List<String> clients = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      TestClient live = nodes.cluster.node(i % 3).connect("live-" + i);
      TestClient stored = nodes.cluster.node(i % 3).connectPersistent("stored-" + i);
      for (int n = 0; n < i; n++) {
        live.subscribe(n + 1, "a/" + n, 1).readAll();
        stored.subscribe(n + 1, "b/" + n, 2).readAll();
      }
      if (i % 2 == 0) {
        stored.disconnect();
      }
      clients.addAll(List.of("live-" + i, "stored-" + i));
    }
    List<String> expected = new ArrayList<>();
    clients.stream()
        .map(id -> SessionPosition.of(new InboxId("t", id)))
        .sorted()
        .forEach(
            at -> {
              String topic = at.clientId().startsWith("live") ? "a/" : "b/";
              int count = at.clientId().charAt(at.clientId().length() - 1) - '0';
              Stream.iterate(0, n -> n < count, n -> n + 1)
                  .forEach(n -> expected.add(at.clientId() + " " + topic + n));
            });
    JsonNode all = api.get("/subscriptions");
    assertThat(texts(all.get("data"))).isEqualTo(expected);
    assertThat(all.get("meta").get("count").asInt()).isEqualTo(30);
    List<String> paged = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = api.get("/subscriptions?limit=4" + cursor);
      paged.addAll(texts(page.get("data")));
      JsonNode next = page.get("meta").get("cursor");
      cursor = next == null ? "" : "&cursor=" + next.asString();
    } while (!cursor.isEmpty());
    assertThat(paged).isEqualTo(expected);
    assertThat(list("?page=3&limit=7")).isEqualTo(expected.subList(14, 21));
    assertThat(list("?durable=true&limit=1000")).hasSize(15);
    assertThat(list("?node=n1")).hasSize(1 + 4 + 1);
  }

  @Test
  void shouldFilter() {
    TestClient client = nodes.cluster.node(0).connect("c");
    client.subscribe(1, "a/b", 0).subscribe(2, "a/+", 1).subscribe(3, "$share/g/a/b", 2).readAll();
    nodes.cluster.node(2).connect("d").subscribe(1, "a/b", 0).readAll();
    assertThat(list("?clientid=c")).containsExactly("c $share/g/a/b", "c a/+", "c a/b");
    assertThat(list("?clientid=c&qos=1")).containsExactly("c a/+");
    assertThat(list("?share_group=g")).containsExactly("c $share/g/a/b");
    nodes.cluster.node(1).connectPersistent("e").subscribe(1, "a/b", 1).disconnect();
    nodes.cluster.settle();
    assertThat(list("?topic=a%2Fb")).containsExactlyInAnyOrder("c a/b", "d a/b", "e a/b");
    assertThat(list("?topic=a%2Fb&limit=1&page=3")).hasSize(1);
    assertThat(list("?topic=a%2Fb&durable=true&tenant=t")).containsExactly("e a/b");
    assertThat(list("?topic=$share%2Fg%2Fa%2Fb")).containsExactly("c $share/g/a/b");
    assertThat(list("?topic=a%23")).isEmpty();
    assertThat(list("?match_topic=a%2F%23")).hasSize(5);
    assertThat(list("?match_topic=a%2Fb&node=n0"))
        .containsExactlyInAnyOrder("c a/b", "c $share/g/a/b");
    assertThat(list("?tenant=other")).isEmpty();
    assertError("GET", "/subscriptions?match_topic=a%23", null, ErrorCode.BAD_REQUEST, "match");
  }

  @Test
  void shouldListTheSubscriptionsOfOneClient() {
    TestClient client = nodes.cluster.node(0).connect("c");
    client.subscribe(1, "a/b", 1).readAll();
    nodes.cluster.node(2).connectPersistent("p").subscribe(1, "x", 2).readAll();
    assertThat(api.get("/clients/c/subscriptions").toString())
        .isEqualTo(
            "[{\"clientid\":\"c\",\"tenant\":\"t\",\"node\":\"n0\",\"topic\":\"a/b\",\"qos\":1,"
                + "\"nl\":0,\"rap\":0,\"rh\":0,\"durable\":false}]");
    JsonNode stored = api.get("/clients/p/subscriptions");
    assertThat(texts(stored)).containsExactly("p x");
    assertThat(stored.get(0).get("durable").asBoolean()).isTrue();
    assertError(
        "GET", "/clients/no/subscriptions", null, ErrorCode.CLIENTID_NOT_FOUND, "does not exist");
  }

  @Test
  void shouldSubscribeAndUnsubscribeAClientOfAnotherNode() {
    for (String id : List.of("transient", "persistent")) {
      TestClient client =
          id.equals("transient")
              ? nodes.cluster.node(0).connect(id)
              : nodes.cluster.node(0).connectPersistent(id);
      TestClient publisher = nodes.cluster.node(2).connect("p-" + id);
      String path = "/clients/" + id;
      JsonNode added =
          TestRequest.body(
              api.send(
                  "POST", path + "/subscribe", "{\"topic\":\"a/" + id + "\",\"qos\":1,\"rap\":1}"));
      assertThat(added.get("qos").asInt()).isEqualTo(1);
      assertThat(added.get("durable").asBoolean()).isEqualTo(id.equals("persistent"));
      publisher.publish(1, 1, "a/" + id, "x").readAll();
      assertThat(client.next()).startsWith("PUBLISH").contains("a/" + id);
      assertThat(texts(api.get(path + "/subscriptions"))).containsExactly(id + " a/" + id);
      String topic = "{\"topic\":\"a/" + id + "\"}";
      assertThat(api.send("POST", path + "/unsubscribe", topic).status()).isEqualTo(204);
      publisher.publish(2, 1, "a/" + id, "y");
      assertThat(publisher.next()).isEqualTo("PUBACK 2 10");
      assertThat(client.next()).isNull();
      assertError("POST", path + "/unsubscribe", topic, ErrorCode.TOPIC_NOT_FOUND, "a/" + id);
      assertThat(texts(api.get(path + "/subscriptions"))).isEmpty();
    }
  }

  @Test
  void shouldChangeSeveralSubscriptions() {
    nodes.cluster.node(0).connect("c");
    Response added =
        api.send(
            "POST",
            "/clients/c/subscribe/bulk",
            "[{\"topic\":\"a\"},{\"topic\":\"$share/g/b\",\"qos\":2}]");
    assertThat(texts(TestRequest.body(added))).containsExactly("c a", "c $share/g/b");
    api.send("POST", "/clients/c/unsubscribe/bulk", "[{\"topic\":\"no\"},{\"topic\":\"a\"}]");
    assertThat(list("?clientid=c")).containsExactly("c $share/g/b");
  }

  @Test
  void shouldExplainWhatItRefuses() {
    nodes.cluster.node(0).connectPersistent("offline").disconnect();
    nodes.cluster.node(0).connect("c");
    String valid = "{\"topic\":\"a\"}";
    assertError(
        "POST", "/clients/offline/subscribe", valid, ErrorCode.CLIENTID_NOT_FOUND, "not connected");
    assertError(
        "POST", "/clients/no/subscribe", valid, ErrorCode.CLIENTID_NOT_FOUND, "does not exist");
    for (String body :
        List.of(
            "{\"topic\":\"a#\"}",
            "{\"topic\":\"\"}",
            "{\"topic\":\"a\",\"qos\":3}",
            "{\"topic\":\"$share/g/a\",\"nl\":1}",
            "{}")) {
      assertThatThrownBy(() -> api.send("POST", "/clients/c/subscribe", body))
          .as(body)
          .isInstanceOfSatisfying(
              ApiException.class, error -> assertThat(error.status()).isEqualTo(400));
    }
  }

  @Test
  void shouldExplainWhichFilterIsInvalid() {
    nodes.cluster.node(0).connect("c");
    assertError(
        "POST",
        "/clients/c/subscribe",
        "{\"topic\":\"\"}",
        ErrorCode.BAD_REQUEST,
        "topic: topic filter is empty");
    assertError(
        "POST",
        "/clients/c/unsubscribe/bulk",
        "[{\"topic\":\"a\"},{\"topic\":\"a+\"}]",
        ErrorCode.BAD_REQUEST,
        "[1].topic: '+' must occupy an entire level");
    assertError(
        "GET",
        "/subscriptions?match_topic=",
        null,
        ErrorCode.BAD_REQUEST,
        "match_topic: topic filter is empty");
  }

  @Test
  void shouldSayWhatIsMissing() {
    nodes.cluster.node(0).connect("c").subscribe(1, "a", 0).readAll();
    nodes.cluster.node(2).connect("d").subscribe(1, "b", 0).readAll();
    nodes.cluster.cut(0, 1);
    for (String query : List.of("", "?clientid=d")) {
      JsonNode list = api.get("/subscriptions" + query);
      assertThat(texts(list.get("data"))).containsExactly("d b");
      assertThat(list.get("meta").get("partial").get(0).asString()).startsWith("node n0: ");
    }
  }
}
