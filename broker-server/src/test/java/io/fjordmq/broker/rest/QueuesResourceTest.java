package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.query.QueryFixture;
import io.fjordmq.broker.testing.TestClient;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Messages for clients over the API, on the second of three nodes. */
class QueuesResourceTest {
  private static final int RECEIVE_MAXIMUM = 0x21;
  private static final int SESSION_EXPIRY = 0x11;

  private final QueryFixture nodes = new QueryFixture(3);
  private final TestRequest api =
      new TestRequest(
          new QueuesResource(nodes.queries(1).queues(), nodes.queries(1).clients()),
          nodes::settled);
  private final TestClient publisher = nodes.cluster.node(2).connect("p");

  @AfterEach
  void close() {
    nodes.close();
  }

  /** Connects a client that accepts two messages in flight. */
  private TestClient connect(boolean persistent) {
    MqttProperties properties = new MqttProperties();
    properties.add(new MqttProperties.IntegerProperty(RECEIVE_MAXIMUM, 2));
    properties.add(new MqttProperties.IntegerProperty(SESSION_EXPIRY, persistent ? 1_000 : 0));
    TestClient client = nodes.cluster.node(0).open().connect5("c", true, properties);
    client.subscribe(1, "a/#", 2).readAll();
    return client;
  }

  private void publish(int count) {
    for (int i = 1; i <= count; i++) {
      publisher.publish(i, 1, "a/" + i, "payload-" + i).readAll();
    }
  }

  private static List<String> topics(JsonNode page) {
    List<String> topics = new ArrayList<>();
    page.get("data").forEach(message -> topics.add(message.path("topic").asString("-")));
    return topics;
  }

  @Test
  void shouldShowTheQueueOfAConnectedClientWithAPersistentSession() {
    TestClient client = connect(true);
    publish(6);
    JsonNode first = api.get("/clients/c/mqueue_messages?limit=3&payload=plain");
    assertThat(topics(first)).containsExactly("a/3", "a/4", "a/5");
    assertThat(first.get("data").get(0).get("payload").asString()).isEqualTo("payload-3");
    assertThat(first.get("data").get(0).get("from_clientid").asString()).isEqualTo("p");
    assertThat(first.get("meta").get("hasnext").asBoolean()).isTrue();
    String position = first.get("meta").get("position").asString();
    JsonNode rest = api.get("/clients/c/mqueue_messages?limit=3&position=" + position);
    assertThat(topics(rest)).containsExactly("a/6");
    assertThat(rest.get("meta").has("position")).isFalse();
    JsonNode inflight = api.get("/clients/c/inflight_messages?payload=none");
    assertThat(topics(inflight)).containsExactly("a/1", "a/2");
    assertThat(inflight.get("data").get(0).get("packet_id").asInt()).isEqualTo(1);
    assertThat(inflight.get("data").get(0).get("awaits").asString()).isEqualTo("puback");
    assertThat(inflight.get("data").get(0).has("payload")).isFalse();
    JsonNode one = api.get("/clients/c/inflight_messages?limit=1");
    String next = one.get("meta").get("position").asString();
    assertThat(topics(api.get("/clients/c/inflight_messages?limit=1&position=" + next)))
        .containsExactly("a/2");
    client.reply(MqttMessageType.PUBACK, 1).readAll();
    assertThat(topics(api.get("/clients/c/mqueue_messages")))
        .as("reading has no side effects")
        .containsExactly("a/4", "a/5", "a/6");
  }

  @Test
  void shouldShowTheQueueOfATransientSession() {
    connect(false);
    publish(5);
    JsonNode first = api.get("/clients/c/mqueue_messages?limit=2&max_payload_bytes=3");
    assertThat(topics(first)).containsExactly("a/3", "a/4");
    assertThat(first.get("data").get(0).get("payload").asString()).isEqualTo("cGF5");
    assertThat(first.get("data").get(0).get("payload_bytes").asInt()).isEqualTo(9);
    String position = first.get("meta").get("position").asString();
    assertThat(topics(api.get("/clients/c/mqueue_messages?limit=2&position=" + position)))
        .containsExactly("a/5");
    JsonNode inflight = api.get("/clients/c/inflight_messages");
    assertThat(topics(inflight)).containsExactly("-", "-");
    assertThat(inflight.get("data").get(1).get("packet_id").asInt()).isEqualTo(2);
  }

  @Test
  void shouldShowTheQueueOfAnOfflineSession() {
    connect(true).disconnect();
    publish(3);
    assertThat(topics(api.get("/clients/c/mqueue_messages"))).containsExactly("a/1", "a/2", "a/3");
    assertThat(topics(api.get("/clients/c/inflight_messages"))).isEmpty();
  }

  @Test
  void shouldShortenPagesOfLargePayloads() {
    connect(true).disconnect();
    publish(6);
    JsonNode first = api.get("/clients/c/mqueue_messages?limit=1000&max_payload_bytes=1048576");
    assertThat(topics(first)).containsExactly("a/1", "a/2", "a/3", "a/4");
    assertThat(first.get("meta").get("hasnext").asBoolean()).isTrue();
    String next = first.get("meta").get("position").asString();
    assertThat(topics(api.get("/clients/c/mqueue_messages?position=" + next)))
        .containsExactly("a/5", "a/6");
  }

  @Test
  void shouldRejectWhatIsNotValid() {
    connect(true);
    assertThatThrownBy(() -> api.get("/clients/c/mqueue_messages?position=x"))
        .isInstanceOfSatisfying(
            ApiException.class, error -> assertThat(error.status()).isEqualTo(400));
    assertThatThrownBy(() -> api.get("/clients/no/mqueue_messages"))
        .isInstanceOfSatisfying(
            ApiException.class,
            error -> assertThat(error.code()).isEqualTo(ErrorCode.CLIENTID_NOT_FOUND));
  }
}
