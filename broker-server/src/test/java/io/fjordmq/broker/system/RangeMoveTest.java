package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.system.ApiClient.Response;
import io.fjordmq.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Operators move replicas and leadership, and placement leaves them there. */
@Tag("slow")
class RangeMoveTest {
  private static final long TIMEOUT_SECONDS = 60;
  private static final String SETTINGS =
      """
      storeConfig:
        inbox:
          replicaVoterCount: 1
      placementConfig:
        interval: 200 ms
      inboxConfig:
        initialRanges: 3
      """;

  private static ApiClient api(ClusterUnderTest cluster, int node) {
    BrokerUnderTest broker = cluster.node(node);
    Await.until(
        "node " + node + " is ready",
        TIMEOUT_SECONDS,
        () ->
            Files.exists(ApiClient.file(broker.nodeDirectory()))
                && Scrape.get(broker.httpPort(), "/readyz").status() == 200);
    return ApiClient.of(broker.nodeDirectory());
  }

  private static JsonNode ok(Response response) {
    assertThat(response.status()).as(String.valueOf(response.body())).isEqualTo(200);
    return response.body();
  }

  private static String conflict(Response response) {
    assertThat(response.status()).as(String.valueOf(response.body())).isEqualTo(409);
    return response.body().get("message").asString();
  }

  private static List<String> voters(JsonNode range) {
    return StreamSupport.stream(range.get("voters").spliterator(), false)
        .map(voter -> voter.get("node").asString())
        .sorted()
        .toList();
  }

  private static JsonNode range(ApiClient api, String range) {
    return ok(api.get("/ranges/" + range));
  }

  private static Response post(ApiClient api, String path, String body) {
    return api.send("POST", "/ranges/" + path, body.replace('\'', '"'));
  }

  @Test
  void shouldMoveAReplicaAndKeepItThere(@TempDir Path directory) {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, 3, SETTINGS)) {
      ApiClient api = api(cluster, 1);
      ApiClient other = api(cluster, 2);
      api(cluster, 3);
      Await.until(
          "each node has a vote in one range", TIMEOUT_SECONDS, () -> inboxVoters(api).size() == 3);
      String from = voters(range(api, "inbox-1")).get(0);
      String to = voters(range(api, "inbox-2")).get(0);
      String name = ok(api.get("/nodes/" + to)).get("name").asString();

      ok(post(other, "inbox-1/move", "{'from':'%s','to':'%s'}".formatted(from, name)));
      Await.until(
          "the replica has moved",
          TIMEOUT_SECONDS,
          () -> voters(range(api, "inbox-1")).equals(List.of(to)));
      JsonNode pin = range(other, "inbox-1").get("pin");
      assertThat(pin.toString()).isEqualTo("{\"voters\":[\"%s\"]}".formatted(to));
      assertThat(conflict(post(api, "inbox-1/move", "{'from':'%s','to':'%s'}".formatted(from, to))))
          .contains("node " + from + " is not one of its voters");
      assertThat(conflict(post(api, "inbox-1/move_leader", "{'to':'%s'}".formatted(from))))
          .contains("only voters can lead a range");
      assertStays(api, "inbox-1", to);

      ok(post(api, "inbox-1/unpin", ""));
      Await.until(
          "the ranges are spread again", TIMEOUT_SECONDS, () -> inboxVoters(api).size() == 3);
      assertThat(range(api, "inbox-1").has("pin")).isFalse();
      assertThat(conflict(post(api, "inbox-1/unpin", ""))).contains("the range is not pinned");
      assertThat(post(api, "inbox-1/move", "{'from':'none','to':'none'}").status()).isEqualTo(404);
      assertThat(post(api, "inbox-99/unpin", "").status()).isEqualTo(404);

      moveLeader(api);
    }
  }

  /** Placement checks several times in this time. */
  private static void assertStays(ApiClient api, String range, String node) {
    long until = System.nanoTime() + 3_000_000_000L;
    while (System.nanoTime() < until) {
      assertThat(voters(range(api, range))).containsExactly(node);
    }
  }

  private static TreeSet<String> inboxVoters(ApiClient api) {
    TreeSet<String> nodes = new TreeSet<>();
    ok(api.get("/ranges?store=inbox")).get("data").forEach(range -> nodes.addAll(voters(range)));
    return nodes;
  }

  private static void moveLeader(ApiClient api) {
    Await.until("three voters", TIMEOUT_SECONDS, () -> voters(range(api, "retain-1")).size() == 3);
    for (String node : voters(range(api, "retain-1"))) {
      ok(post(api, "retain-1/move_leader", "{'to':'%s'}".formatted(node)));
      Await.until(
          "it leads",
          TIMEOUT_SECONDS,
          () -> range(api, "retain-1").path("leader").asString("").equals(node));
    }
    assertThat(range(api, "retain-1").get("pin").get("leader").asString())
        .isEqualTo(range(api, "retain-1").get("leader").asString());
  }

  @Test
  void shouldExplainWhyASingleNodeCannotMoveAnything(@TempDir Path directory) {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, 1, "")) {
      ApiClient api = api(cluster, 1);
      String self = ok(api.get("/cluster")).get("self").asString();
      assertThat(
              conflict(post(api, "inbox-1/move", "{'from':'%s','to':'%s'}".formatted(self, self))))
          .contains("node " + self + " is already one of its voters");
      ok(post(api, "inbox-1/move_leader", "{'to':'%s'}".formatted(self)));
      assertThat(range(api, "inbox-1").get("pin").get("leader").asString()).isEqualTo(self);
      ok(post(api, "inbox-1/unpin", ""));
    }
  }
}
