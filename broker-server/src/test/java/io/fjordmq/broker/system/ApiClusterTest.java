package io.fjordmq.broker.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import io.fjordmq.broker.system.ApiClient.Response;
import io.fjordmq.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The REST API of three nodes: each of them answers for the whole cluster. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApiClusterTest {
  private static final int NODES = 3;

  private ClusterUnderTest cluster;

  @BeforeAll
  void start(@TempDir Path directory) {
    cluster = ClusterUnderTest.startIn(directory, NODES, "");
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

  /** A client of each node. */
  private List<ApiClient> all() {
    return cluster.nodes().stream().map(node -> ApiClient.of(node.nodeDirectory())).toList();
  }

  private ApiClient first() {
    return all().get(0);
  }

  private static JsonNode ok(Response response) {
    assertThat(response.status()).as(String.valueOf(response.body())).isEqualTo(200);
    return response.body();
  }

  private static List<String> texts(JsonNode list, String field) {
    List<String> texts = new ArrayList<>();
    list.forEach(element -> texts.add(element.get(field).asString()));
    return texts;
  }

  /** Returns a list once every node has answered in time, which takes longer on a busy host. */
  private static JsonNode awaitComplete(ApiClient client, String path) {
    AtomicReference<JsonNode> list = new AtomicReference<>();
    Await.until(
        "all nodes answer " + path,
        () -> {
          JsonNode response = ok(client.get(path));
          list.set(response);
          return !response.get("meta").has("partial");
        });
    return Objects.requireNonNull(list.get());
  }

  @Test
  void shouldListTheSameNodesEverywhere() {
    Set<String> selves = new TreeSet<>();
    for (ApiClient client : all()) {
      JsonNode nodes = ok(client.get("/nodes"));
      assertThat(nodes).hasSize(NODES);
      assertThat(texts(nodes, "node_status")).containsOnly("running");
      Await.until(
          "each node reports its version and uptime",
          () ->
              StreamSupport.stream(ok(client.get("/nodes")).spliterator(), false)
                  .allMatch(node -> node.has("version") && node.path("uptime").asLong() > 0));
      JsonNode summary = ok(client.get("/cluster"));
      assertThat(summary.get("nodes")).hasSize(NODES);
      selves.add(summary.get("self").asString());
    }
    assertThat(selves).hasSize(NODES);
    for (String self : selves) {
      assertThat(ok(first().get("/nodes/" + self)).get("state").asString()).isEqualTo("up");
    }
    assertThat(first().get("/nodes/unknown").status()).isEqualTo(404);
  }

  @Test
  void shouldShowRangesPageByPage() {
    JsonNode all = ok(first().get("/ranges?limit=10000"));
    int count = all.get("meta").get("count").asInt();
    List<String> walked = new ArrayList<>();
    boolean more = true;
    for (int page = 1; more; page++) {
      JsonNode some = ok(all().get(page % NODES).get("/ranges?limit=2&page=" + page));
      walked.addAll(texts(some.get("data"), "range"));
      more = some.get("meta").get("hasnext").asBoolean();
    }
    assertThat(walked).hasSize(count).isEqualTo(texts(all.get("data"), "range"));
    for (String range : walked) {
      assertThat(ok(first().get("/ranges/" + range)).get("range").asString()).isEqualTo(range);
    }
    assertThat(texts(ok(first().get("/ranges?store=inbox")).get("data"), "range"))
        .isNotEmpty()
        .allMatch(range -> range.startsWith("inbox-"));
  }

  @Test
  void shouldChangeVotersForTheWholeCluster() {
    JsonNode before = ok(first().get("/voters"));
    assertThat(ok(first().send("PUT", "/voters", "{\"retain\":1}")).get("retain").asInt())
        .isEqualTo(1);
    Await.until(
        "all nodes know the change",
        () ->
            all().stream()
                .allMatch(client -> ok(client.get("/voters")).get("retain").asInt() == 1));
    assertThat(ok(first().send("PUT", "/voters", before.toString()))).isEqualTo(before);
  }

  @Test
  void shouldExplainWhyACommandIsNotPossible() {
    String range = texts(ok(first().get("/ranges?store=retain")).get("data"), "range").get(0);
    Response refused = first().send("POST", "/ranges/" + range + "/split", "");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body().get("code").asString()).isEqualTo("CONFLICT");
    assertThat(refused.body().get("message").asString()).contains(range + " was not split");
    assertThat(first().send("POST", "/ranges/retain-999/split", "").status()).isEqualTo(404);
    String self = ok(first().get("/cluster")).get("self").asString();
    assertThat(first().send("DELETE", "/nodes/" + self, "").status()).isEqualTo(409);
  }

  @Test
  void shouldListTheListenersOfAllNodes() {
    String self = ok(first().get("/cluster")).get("self").asString();
    JsonNode listener = awaitComplete(first(), "/listeners?node=" + self).get("data").get(0);
    assertThat(listener.get("id").asString()).isEqualTo("tcpListener");
    assertThat(listener.get("bind").asString()).isEqualTo("127.0.0.1:" + cluster.node(1).port());
    try (Mqtt5Session client = new Mqtt5Session(cluster.node(1).mqtt(), "listed")) {
      client.connect();
      JsonNode shown = ok(first().get("/listeners/tcpListener?node=" + self)).get("data").get(0);
      assertThat(shown.get("current_connections").asInt()).isPositive();
    }
  }

  @Test
  void shouldListShowAndKickTheClientsOfAllNodes() {
    List<Mqtt5Session> sessions = new ArrayList<>();
    try {
      for (int number = 1; number <= NODES; number++) {
        Mqtt5Session session = new Mqtt5Session(cluster.node(number).mqtt(), "listed-" + number);
        sessions.add(session);
        session.connect();
        session.subscribe("listed/" + number, MqttQos.AT_LEAST_ONCE);
      }
      for (ApiClient client : all()) {
        JsonNode list = awaitComplete(client, "/clients?like_clientid=listed-");
        assertThat(texts(list.get("data"), "clientid"))
            .containsExactlyInAnyOrder("listed-1", "listed-2", "listed-3");
        assertThat(new TreeSet<>(texts(list.get("data"), "node"))).hasSize(NODES);
        assertThat(ok(client.get("/clients/listed-2")).get("ip_address").asString())
            .isEqualTo("127.0.0.1");
        assertThat(texts(ok(client.get("/clients/listed-3/subscriptions")), "topic"))
            .containsExactly("listed/3");
        assertThat(
                texts(
                    ok(client.get("/subscriptions?match_topic=listed%2F%23")).get("data"), "topic"))
            .containsExactlyInAnyOrder("listed/1", "listed/2", "listed/3");
        assertThat(texts(ok(client.get("/topics/listed%2F1")), "topic")).hasSize(1);
      }
      assertThat(first().send("DELETE", "/clients/listed-3", "").status()).isEqualTo(204);
      assertThat(sessions.get(2).disconnectCause())
          .isInstanceOfSatisfying(
              Mqtt5DisconnectException.class,
              cause ->
                  assertThat(cause.getMqttMessage().getReasonCode())
                      .isEqualTo(Mqtt5DisconnectReasonCode.ADMINISTRATIVE_ACTION));
      assertThat(all().get(1).get("/clients/listed-3").status()).isEqualTo(404);
      assertThat(first().send("DELETE", "/clients/listed-3", "").status()).isEqualTo(404);
    } finally {
      sessions.forEach(Mqtt5Session::close);
    }
  }

  @Test
  void shouldExplainWhatHappenedToAClientOnAnyNode() {
    try (Mqtt5Session older = new Mqtt5Session(cluster.node(1).mqtt(), "explained");
        Mqtt5Session newer = new Mqtt5Session(cluster.node(2).mqtt(), "explained")) {
      older.connect();
      older.subscribe("explained/1", MqttQos.AT_LEAST_ONCE);
      newer.connect();
      assertThat(older.disconnectCause()).isNotNull();
      for (ApiClient client : all()) {
        JsonNode list = awaitComplete(client, "/clients/explained/events");
        assertThat(texts(list.get("data"), "type"))
            .containsOnlyOnce("subscribed", "taken_over")
            .filteredOn("connected"::equals)
            .hasSize(2);
        assertThat(new TreeSet<>(texts(list.get("data"), "node"))).hasSize(2);
        assertThat(texts(list.get("data"), "message"))
            .anyMatch(line -> line.startsWith("Connected from 127.0.0.1:"))
            .anyMatch(
                line ->
                    line.startsWith(
                        "Disconnected: session taken over (0x8E) by a connection from 127.0.0.1:"));
      }
    }
    assertThat(first().get("/clients/never-seen/events").status()).isEqualTo(404);
  }

  @Test
  void shouldPublishAndShowRetainedMessagesAnywhere() {
    try (Mqtt5Session session = new Mqtt5Session(cluster.node(2).mqtt(), "reader")) {
      session.connect();
      session.subscribe("api/#", MqttQos.AT_LEAST_ONCE);
      Response published =
          first()
              .send(
                  "POST",
                  "/publish",
                  "{\"topic\":\"api/1\",\"payload\":\"hello\",\"qos\":1,\"retain\":true}");
      assertThat(ok(published).get("id").asString()).isNotEmpty();
      assertThat(session.nextText()).isEqualTo("hello");
    }
    for (ApiClient client : all()) {
      JsonNode list = ok(client.get("/mqtt/retainer/messages?topic=api%2F%23"));
      assertThat(texts(list.get("data"), "topic")).containsExactly("api/1");
      assertThat(ok(client.get("/mqtt/retainer/message/api%2F1")).get("payload").asString())
          .isEqualTo("aGVsbG8=");
    }
    assertThat(all().get(2).send("DELETE", "/mqtt/retainer/message/api%2F1", "").status())
        .isEqualTo(204);
    assertThat(first().get("/mqtt/retainer/message/api%2F1").status()).isEqualTo(404);
  }

  @Test
  void shouldShowTheQueueOfAnOfflineSession() {
    Mqtt5Session session = new Mqtt5Session(cluster.node(3).mqtt(), "sleeper");
    session.connect(connect -> connect.cleanStart(false).sessionExpiryInterval(600));
    session.subscribe("sleeper/+", MqttQos.AT_LEAST_ONCE);
    session.disconnect();
    Await.until(
        "the session is offline",
        () -> !ok(first().get("/clients/sleeper")).get("connected").asBoolean());
    String body =
        "[{\"topic\":\"sleeper/1\",\"payload\":\"a\",\"qos\":1},"
            + "{\"topic\":\"sleeper/2\",\"payload\":\"b\",\"qos\":1}]";
    ok(first().send("POST", "/publish/bulk", body));
    for (ApiClient client : all()) {
      JsonNode shown = ok(client.get("/clients/sleeper"));
      assertThat(shown.get("connected").asBoolean()).isFalse();
      assertThat(shown.get("mqueue_len").asInt()).isEqualTo(2);
      JsonNode queue = ok(client.get("/clients/sleeper/mqueue_messages?payload=plain"));
      assertThat(texts(queue.get("data"), "payload")).containsExactly("a", "b");
    }
    assertThat(all().get(1).send("DELETE", "/clients/sleeper", "").status()).isEqualTo(204);
    assertThat(first().get("/clients/sleeper").status()).isEqualTo(404);
  }

  @Test
  void shouldLetOnlyTheOwnerReadTheToken() throws Exception {
    Path file = ApiClient.file(cluster.node(1).nodeDirectory());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(Scrape.get(cluster.node(1).httpPort(), "/api/v5/nodes").status()).isEqualTo(401);
    assertThat(Scrape.get(cluster.node(1).httpPort(), "/api/v5/openapi.json").status())
        .isEqualTo(200);
    assertThat(Scrape.get(cluster.node(1).httpPort(), "/api-docs").body()).contains("listRanges");
  }

  @Test
  void shouldTraceAClientOnAnyNode() {
    Response started =
        first()
            .send(
                "POST",
                "/trace",
                "{\"name\":\"traced\",\"type\":\"clientid\",\"clientid\":\"traced\\nforged\","
                    + "\"payload_encode\":\"text\"}");
    assertThat(ok(started).get("status").asString()).isEqualTo("running");
    Response topic =
        first()
            .send("POST", "/trace", "{\"name\":\"t\",\"type\":\"topic\",\"topic\":\"traced/+\"}");
    assertThat(topic.status()).isEqualTo(200);
    Await.until(
        "every node has started both traces",
        () ->
            cluster.nodes().stream()
                .allMatch(node -> traceFiles(node.nodeDirectory().resolve("data/trace")) == 2));
    try (Mqtt5Session client = new Mqtt5Session(cluster.node(2).mqtt(), "traced\nforged");
        Mqtt5Session receiver = new Mqtt5Session(cluster.node(1).mqtt(), "receiver")) {
      receiver.connect();
      receiver.subscribe("traced/#", MqttQos.AT_MOST_ONCE);
      client.connect(
          connect ->
              connect
                  .simpleAuth()
                  .username("u")
                  .password("swordfish".getBytes(UTF_8))
                  .applySimpleAuth());
      client.publish("traced/1", MqttQos.AT_LEAST_ONCE, "hello");
      assertThat(receiver.nextText()).isEqualTo("hello");
    }
    String text = all().get(2).text("/trace/traced/download");
    assertThat(text).doesNotContain("swordfish").doesNotContain("\nforged");
    List<String> lines = text.lines().filter(line -> line.contains("client=")).toList();
    assertThat(lines)
        .allMatch(line -> line.contains(" client=\"traced\\nforged\" "))
        .anyMatch(line -> line.contains(" received ") && line.contains(" CONNECT version=5"))
        .anyMatch(line -> line.contains(" event ") && line.contains(" authenticated by="))
        .anyMatch(line -> line.contains(" event ") && line.contains(" connected "))
        .anyMatch(line -> line.contains(" sent ") && line.contains(" CONNACK "))
        .anyMatch(line -> line.contains("topic=traced/1") && line.contains("payload=\"hello\""))
        .anyMatch(line -> line.contains("routed topic=traced/1 local_clients=0 other_nodes=1"))
        .anyMatch(line -> line.contains(" sent ") && line.contains(" PUBACK "))
        .anyMatch(line -> line.contains(" event ") && line.contains(" disconnected "));
    assertThat(all().get(2).text("/trace/t/download"))
        .contains("routed topic=traced/1", " sent client=receiver ", "subscribed ");
    shouldReadAndDeleteTraces();
  }

  private void shouldReadAndDeleteTraces() {
    JsonNode stopped = ok(all().get(1).send("PUT", "/trace/traced/stop", ""));
    assertThat(stopped.get("status").asString()).isEqualTo("stopped");
    for (ApiClient client : all()) {
      Await.until(
          "all nodes respond",
          () -> {
            JsonNode files = ok(client.get("/trace/traced/log_detail"));
            return files.size() == NODES
                && StreamSupport.stream(files.spliterator(), false)
                    .allMatch(file -> file.get("size").asLong() > 0);
          });
      assertThat(texts(ok(client.get("/trace")), "name")).containsExactlyInAnyOrder("traced", "t");
      String node = ok(client.get("/trace/traced/log_detail")).get(1).get("node").asString();
      JsonNode part = ok(client.get("/trace/traced/log?bytes=16&node=" + node));
      assertThat(part.get("items").asString()).hasSize(16);
      assertThat(part.get("meta").get("position").asInt()).isEqualTo(16);
      assertThat(client.get("/trace/traced/log?node=none").status()).isEqualTo(404);
      assertThat(client.get("/trace/none/log").status()).isEqualTo(404);
    }
    assertThat(first().send("DELETE", "/trace/traced", "").status()).isEqualTo(204);
    assertThat(first().send("DELETE", "/trace/traced", "").status()).isEqualTo(404);
    assertThat(all().get(2).send("DELETE", "/trace", "").status()).isEqualTo(204);
    Await.until(
        "every node has deleted its files",
        () ->
            cluster.nodes().stream()
                .allMatch(node -> traceFiles(node.nodeDirectory().resolve("data/trace")) == 0));
  }

  private static long traceFiles(Path folder) {
    String[] names = folder.toFile().list();
    return names == null ? 0 : names.length;
  }
}
