package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Topic;
import io.fjordmq.broker.query.ClusterQueries;
import io.fjordmq.broker.query.SlowSubscriptionQueries;
import io.fjordmq.broker.slow.SlowSubscriptionSettings;
import io.fjordmq.broker.slow.SlowSubscriptions;
import io.fjordmq.broker.testing.TestCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Slow subscriptions over the API, on the second of three nodes. */
class SlowSubscriptionsResourceTest {
  private final TestCluster cluster = new TestCluster(3);
  private final List<SlowSubscriptions> nodes = new ArrayList<>();
  private final List<SlowSubscriptionQueries> queries = new ArrayList<>();
  private final TestRequest api;

  SlowSubscriptionsResourceTest() {
    for (int node = 0; node < 3; node++) {
      ClusterQueries.Dependencies dependencies = cluster.node(node).queryDependencies;
      nodes.add(new SlowSubscriptions(SlowSubscriptionSettings.DEFAULTS));
      queries.add(
          SlowSubscriptionQueries.start(
              nodes.get(node),
              dependencies.membership(),
              dependencies.peers(),
              dependencies.clock()));
    }
    api = new TestRequest(new SlowSubscriptionsResource(queries.get(1)), this::settled);
  }

  private <T> CompletableFuture<T> settled(CompletableFuture<T> future) {
    cluster.settle();
    assertThat(future).isDone();
    return future;
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void report(int node, String tenant, String clientId, long latency) {
    long now = cluster.ranges.nowMillis();
    nodes.get(node).report(tenant, clientId, new Topic("a/b"), latency, now);
  }

  private List<String> ids(JsonNode list) {
    return list.get("data").findValuesAsString("clientid");
  }

  @Test
  void shouldMergeTheListsOfAllNodes() {
    report(0, "t", "a", 700);
    report(1, "t", "b", 900);
    report(2, "u", "c", 800);
    JsonNode list = api.get("/slow_subscriptions");
    assertThat(ids(list)).containsExactly("b", "c", "a");
    assertThat(list.get("meta").get("count").asInt()).isEqualTo(3);
    JsonNode first = list.get("data").get(0);
    assertThat(first.get("topic").asString()).isEqualTo("a/b");
    assertThat(first.get("timespan").asLong()).isEqualTo(900);
    assertThat(first.get("node").asString()).isEqualTo("n1");
    assertThat(first.has("last_update_time")).isTrue();
    assertThat(ids(api.get("/slow_subscriptions?limit=2&page=2"))).containsExactly("a");
    assertThat(ids(api.get("/slow_subscriptions?tenant=u"))).containsExactly("c");
    assertThat(ids(api.boundTo("t").get("/slow_subscriptions"))).containsExactly("b", "a");
  }

  @Test
  void shouldClearAllNodesButOnlyTheTenantOfTheCaller() {
    report(0, "t", "a", 700);
    report(2, "u", "c", 800);
    api.boundTo("u").send("DELETE", "/slow_subscriptions", null);
    assertThat(ids(api.boundTo(null).get("/slow_subscriptions"))).containsExactly("a");
    api.send("DELETE", "/slow_subscriptions", null);
    assertThat(ids(api.get("/slow_subscriptions"))).isEmpty();
  }

  @Test
  void shouldNameNodesThatDoNotRespond() {
    report(0, "t", "a", 700);
    report(1, "t", "b", 900);
    cluster.cut(0, 1);
    JsonNode list = api.get("/slow_subscriptions");
    assertThat(ids(list)).containsExactly("b");
    assertThat(list.get("meta").has("count")).isFalse();
    assertThat(list.get("meta").get("partial").get(0).asString()).startsWith("node n0");
    assertThatThrownBy(() -> api.send("DELETE", "/slow_subscriptions", null))
        .isInstanceOfSatisfying(
            ApiException.class,
            error -> assertThat(error.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE));
    assertThat(nodes.get(1).list(0)).isEmpty();
  }
}
