package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.broker.query.ClusterQueries;
import io.fjordmq.broker.query.TopicMetricQueries;
import io.fjordmq.broker.records.TestRecords;
import io.fjordmq.broker.testing.TestCluster;
import io.fjordmq.broker.topicmetrics.TestTopicMetrics;
import io.fjordmq.broker.topicmetrics.TopicMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Topic metrics over the API, on the second of three nodes. */
class TopicMetricsResourceTest {
  private static final String TOPICS = "/mqtt/topic_metrics";

  private final TestCluster cluster = new TestCluster(3);
  private final TestRecords metadata = new TestRecords();
  private final List<TopicMetrics> nodes = new ArrayList<>();
  private final TestRequest api;

  TopicMetricsResourceTest() {
    List<TopicMetricQueries> queries = new ArrayList<>();
    for (int node = 0; node < 3; node++) {
      ClusterQueries.Dependencies dependencies = cluster.node(node).queryDependencies;
      nodes.add(TestTopicMetrics.open(metadata));
      queries.add(
          TopicMetricQueries.start(
              nodes.get(node).traffic(), dependencies.membership(), dependencies.peers()));
    }
    TopicMetricsResource resource = new TopicMetricsResource(nodes.get(1), queries.get(1));
    api = new TestRequest(resource, this::settled).boundTo("t");
  }

  private CompletableFuture<Response> settled(CompletableFuture<Response> future) {
    cluster.settle();
    return CompletableFuture.completedFuture(TestRecords.get(future.handle(Result::new)))
        .thenCompose(Result::future);
  }

  private record Result(@Nullable Response response, @Nullable Throwable failure) {
    CompletableFuture<Response> future() {
      return failure == null
          ? CompletableFuture.completedFuture(response)
          : CompletableFuture.failedFuture(Replies.cause(failure));
    }
  }

  @AfterEach
  void close() {
    metadata.close();
    cluster.close();
  }

  private void register(String topic) {
    Response created = api.send("POST", TOPICS, "{\"topic\":\"" + topic + "\"}");
    assertThat(created.status()).isEqualTo(201);
  }

  private static void assertFails(ThrowingCallable call, ErrorCode code) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ApiException.class, error -> assertThat(error.code()).isEqualTo(code));
  }

  @Test
  void shouldAddUpTheMessagesOfAllNodes() {
    register("a/b");
    for (TopicMetrics node : nodes) {
      node.traffic().onPublished("t", new Topic("a/b"), Qos.AT_LEAST_ONCE);
      node.traffic().onSent("t", new Topic("a/b"), Qos.AT_MOST_ONCE);
    }
    JsonNode list = api.get(TOPICS);
    assertThat(list).hasSize(1);
    JsonNode topic = list.get(0);
    assertThat(topic.get("topic").asString()).isEqualTo("a/b");
    assertThat(topic.has("create_time")).isTrue();
    assertThat(topic.has("reset_time")).isFalse();
    JsonNode metrics = topic.get("metrics");
    assertThat(metrics.get("messages.in.count").toString()).isEqualTo("3");
    assertThat(metrics.get("messages.qos1.in.count").asInt()).isEqualTo(3);
    assertThat(metrics.get("messages.out.count").asInt()).isEqualTo(3);
    assertThat(metrics.get("messages.dropped.rate").asDouble()).isZero();
    assertThat(api.get(TOPICS + "/a%2Fb")).isEqualTo(topic);
    assertThat(api.boundTo("other").get(TOPICS)).isEmpty();
  }

  @Test
  void shouldResetAndDelete() {
    register("a");
    nodes.get(2).traffic().onPublished("t", new Topic("a"), Qos.AT_MOST_ONCE);
    api.send("PUT", TOPICS, "{\"action\":\"reset\",\"topic\":\"a\"}");
    JsonNode reset = api.get(TOPICS + "/a");
    assertThat(reset.get("metrics").get("messages.in.count").asInt()).isZero();
    assertThat(reset.has("reset_time")).isTrue();
    api.send("PUT", TOPICS, "{\"action\":\"reset\"}");
    assertThat(api.send("DELETE", TOPICS + "/a", null).status()).isEqualTo(204);
    assertThat(api.get(TOPICS)).isEmpty();
  }

  @Test
  void shouldRefuseBadRequests() {
    register("a");
    assertFails(() -> register("a"), ErrorCode.ALREADY_EXISTS);
    assertFails(() -> register("a/+"), ErrorCode.BAD_REQUEST);
    assertFails(() -> register("x".repeat(1_025)), ErrorCode.BAD_REQUEST);
    assertFails(() -> api.get(TOPICS + "/no"), ErrorCode.TOPIC_NOT_FOUND);
    assertFails(() -> api.send("DELETE", TOPICS + "/no", null), ErrorCode.TOPIC_NOT_FOUND);
    assertFails(
        () -> api.send("PUT", TOPICS, "{\"action\":\"reset\",\"topic\":\"no\"}"),
        ErrorCode.TOPIC_NOT_FOUND);
    assertFails(() -> api.send("PUT", TOPICS, "{\"action\":\"add\"}"), ErrorCode.BAD_REQUEST);
  }

  @Test
  void shouldNameNodesThatDoNotRespond() {
    register("a");
    cluster.cut(1, 2);
    assertThat(api.get(TOPICS + "/a").get("partial").get(0).asString()).startsWith("node n2");
  }
}
