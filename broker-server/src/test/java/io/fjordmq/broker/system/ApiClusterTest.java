package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.system.ApiClient.Answer;
import io.fjordmq.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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

  private static JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(String.valueOf(answer.body())).isEqualTo(200);
    return answer.body();
  }

  private static List<String> texts(JsonNode list, String field) {
    List<String> texts = new ArrayList<>();
    list.forEach(element -> texts.add(element.get(field).asString()));
    return texts;
  }

  @Test
  void shouldListTheSameNodesEverywhere() {
    Set<String> selves = new TreeSet<>();
    for (ApiClient client : all()) {
      JsonNode nodes = ok(client.get("/nodes"));
      assertThat(nodes).hasSize(NODES);
      assertThat(texts(nodes, "node_status")).containsOnly("running");
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
    Answer refused = first().send("POST", "/ranges/" + range + "/split", "");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body().get("code").asString()).isEqualTo("CONFLICT");
    assertThat(refused.body().get("message").asString()).contains(range + " was not split");
    assertThat(first().send("POST", "/ranges/retain-999/split", "").status()).isEqualTo(404);
    String self = ok(first().get("/cluster")).get("self").asString();
    assertThat(first().send("DELETE", "/nodes/" + self, "").status()).isEqualTo(409);
  }

  @Test
  void shouldListTheListenersOfTheNode() {
    JsonNode listener = ok(first().get("/listeners")).get(0);
    assertThat(listener.get("id").asString()).isEqualTo("tcpListener");
    assertThat(listener.get("bind").asString()).isEqualTo("127.0.0.1:" + cluster.node(1).port());
    try (Mqtt5Session client = new Mqtt5Session(cluster.node(1).mqtt(), "listed")) {
      client.connect();
      assertThat(ok(first().get("/listeners/tcpListener")).get("current_connections").asInt())
          .isPositive();
    }
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
}
