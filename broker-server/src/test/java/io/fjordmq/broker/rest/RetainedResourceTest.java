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

/** Retained messages over the API, published through it as well. */
class RetainedResourceTest {
  private final QueryFixture nodes = new QueryFixture(3);
  private final TestRequest api =
      new TestRequest(new RetainedResource(nodes.queries(1).retained()), nodes::settled)
          .boundTo("t");
  private final TestRequest publish =
      new TestRequest(new PublishResource(nodes.queries(2).publisher()), nodes::settled)
          .boundTo("t");

  @AfterEach
  void close() {
    nodes.close();
  }

  private void retain(String topic, String payload) {
    publish.send(
        "POST",
        "/publish",
        """
        {"topic":"%s","payload":"%s","qos":1,"retain":true,"clientid":"p",
         "properties":{"content_type":"text/plain"}}\
        """
            .formatted(topic, payload));
  }

  private List<String> topics(String query) {
    List<String> topics = new ArrayList<>();
    api.get("/mqtt/retainer/messages" + query)
        .get("data")
        .forEach(message -> topics.add(message.get("topic").asString()));
    return topics;
  }

  private void assertNotFound(String method, String path) {
    assertThatThrownBy(() -> api.send(method, path, null))
        .isInstanceOfSatisfying(
            ApiException.class, error -> assertThat(error.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }

  @Test
  void shouldListRetainedMessagesByFilterPageByPage() {
    for (int i = 0; i < 9; i++) {
      retain("a/" + i, "x");
    }
    retain("b", "y");
    assertThat(topics("")).hasSize(10);
    assertThat(topics("?topic=a%2F%23")).hasSize(9).allMatch(topic -> topic.startsWith("a/"));
    List<String> paged = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = api.get("/mqtt/retainer/messages?limit=4" + cursor);
      assertThat(page.get("data").size()).isLessThanOrEqualTo(4);
      page.get("data").forEach(message -> paged.add(message.get("topic").asString()));
      JsonNode next = page.get("meta").get("cursor");
      cursor = next == null ? "" : "&cursor=" + next.asString();
    } while (!cursor.isEmpty());
    assertThat(paged).isEqualTo(topics(""));
    assertThat(topics("?page=2&limit=4")).isEqualTo(paged.subList(4, 8));
    assertThat(topics("?page=9&limit=4")).isEmpty();
    api.boundTo("other");
    assertThat(topics("")).isEmpty();
  }

  @Test
  void shouldShowARetainedMessage() {
    retain("a/b", "hello");
    JsonNode shown = api.get("/mqtt/retainer/message/a%2Fb");
    assertThat(shown.get("topic").asString()).isEqualTo("a/b");
    assertThat(shown.get("qos").asInt()).isEqualTo(1);
    assertThat(shown.get("payload").asString()).isEqualTo("aGVsbG8=");
    assertThat(shown.get("from_clientid").asString()).isEqualTo("p");
    assertThat(shown.get("publish_at").asString()).endsWith("Z");
    assertThat(shown.get("properties").get("content_type").asString()).isEqualTo("text/plain");
    JsonNode shortened = api.get("/mqtt/retainer/message/a%2Fb?max_payload_bytes=3");
    assertThat(shortened.get("payload").asString()).isEqualTo("aGVs");
    assertThat(shortened.get("payload_bytes").asInt()).isEqualTo(5);
    assertNotFound("GET", "/mqtt/retainer/message/a%2Fc");
  }

  @Test
  void shouldDeleteRetainedMessages() {
    for (String topic : List.of("a/1", "a/2", "b", "c")) {
      retain(topic, "x");
    }
    TestClient subscriber = nodes.cluster.node(0).connect("s");
    subscriber.subscribe(1, "b", 1).readAll();
    assertThat(api.send("DELETE", "/mqtt/retainer/message/b", null).status()).isEqualTo(204);
    assertThat(subscriber.next()).as("subscribers are not notified").isNull();
    assertNotFound("DELETE", "/mqtt/retainer/message/b");
    api.send("DELETE", "/mqtt/retainer/messages?topic=a%2F%2B", null);
    assertThat(topics("")).containsExactly("c");
    api.send("DELETE", "/mqtt/retainer/messages", null);
    assertThat(topics("")).isEmpty();
  }
}
