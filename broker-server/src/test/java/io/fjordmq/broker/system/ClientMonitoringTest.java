package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.broker.system.ApiClient.Response;
import io.fjordmq.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Flapping clients, slow subscribers, topic metrics and users of sessions, on a real node. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientMonitoringTest {
  private BrokerUnderTest broker;
  private ApiClient api;

  @BeforeAll
  void start(@TempDir Path directory) {
    String configuration =
        """
        flappingConfig:
          enabled: true
          maxCount: 3
          banTime: 1 h
        slowSubscriptionConfig:
          threshold: 50 ms
        """;
    broker = BrokerUnderTest.startIn(directory, configuration, List.of());
    Await.until(
        "the node is ready",
        () ->
            Files.exists(ApiClient.file(broker.nodeDirectory()))
                && Scrape.get(broker.httpPort(), "/readyz").status() == 200);
    api = ApiClient.of(broker.nodeDirectory());
  }

  @AfterAll
  void stop() {
    broker.close();
  }

  private JsonNode ok(String path) {
    Response response = api.get(path);
    assertThat(response.status()).as(String.valueOf(response.body())).isEqualTo(200);
    return response.body();
  }

  @Test
  void shouldBanAFlappingClient() {
    for (int i = 0; i < 3; i++) {
      RawClient.openConnected(broker.mqtt(), 5, "restless", 0).close();
    }
    Await.until("the ban", () -> ok("/banned?clientid=restless").get("data").size() == 1);
    JsonNode ban = ok("/banned?clientid=restless").get("data").get(0);
    assertThat(ban.get("by").asString()).isEqualTo("flapping detector");
    assertThat(ban.get("reason").asString()).isEqualTo("disconnected 3 times within 60 s");
    try (RawClient again =
        new RawClient(broker.mqtt()).send(RawClient.connectPacket(5, "restless", 0))) {
      assertThat(again.next()).startsWith("20").matches("20..008a.*");
    }
    assertThat(ok("/clients/restless/events").get("data").findValuesAsString("type"))
        .contains("banned");
    assertThat(broker.scrape().value("fjordmq_flapping_bans_total")).isOne();
    assertThat(api.send("DELETE", "/banned/clientid/restless?tenant=", "").status()).isEqualTo(204);
    RawClient.openConnected(broker.mqtt(), 5, "restless", 0).close();
  }

  @Test
  void shouldListASlowSubscriberAndCountTheMessagesOfATopic() throws Exception {
    Response registered = api.send("POST", "/mqtt/topic_metrics", "{\"topic\":\"slow/1\"}");
    assertThat(registered.status()).isEqualTo(201);
    try (RawClient slow = RawClient.openConnected(broker.mqtt(), 4, "slowpoke", 0);
        Mqtt5Session publisher = new Mqtt5Session(broker.mqtt(), "publisher")) {
      slow.send("820b 0001 0006 736c6f772f31 01");
      assertThat(slow.next()).isEqualTo("9003000101");
      publisher.connect();
      publisher.publish("slow/1", MqttQos.AT_LEAST_ONCE, "x");
      publisher.publish("slow/other", MqttQos.AT_MOST_ONCE, "x");
      assertThat(slow.next()).startsWith("32");
      Thread.sleep(100); // longer than the threshold
      slow.send("40020001");
      Await.until("the entry", () -> ok("/slow_subscriptions").get("data").size() == 1);
    }
    JsonNode entry = ok("/slow_subscriptions").get("data").get(0);
    assertThat(entry.get("clientid").asString()).isEqualTo("slowpoke");
    assertThat(entry.get("topic").asString()).isEqualTo("slow/1");
    assertThat(entry.get("timespan").asLong()).isGreaterThanOrEqualTo(100);
    assertThat(api.send("DELETE", "/slow_subscriptions", "").status()).isEqualTo(204);
    assertThat(ok("/slow_subscriptions").get("data")).isEmpty();
    JsonNode metrics = ok("/mqtt/topic_metrics/slow%2F1").get("metrics");
    assertThat(metrics.get("messages.in.count").asInt()).isOne();
    assertThat(metrics.get("messages.qos1.out.count").asInt()).isOne();
    assertThat(metrics.get("messages.dropped.count").asInt()).isZero();
    assertThat(api.send("DELETE", "/mqtt/topic_metrics/slow%2F1", "").status()).isEqualTo(204);
    assertThat(ok("/mqtt/topic_metrics")).isEmpty();
  }

  @Test
  void shouldLogOutEverybody() {
    Response user =
        api.send(
            "POST",
            "/users",
            "{\"username\":\"ann\",\"password\":\"correct horse\",\"role\":\"viewer\"}");
    assertThat(user.status()).isEqualTo(200);
    String login = "{\"username\":\"ann\",\"password\":\"correct horse\"}";
    assertThat(api.send("POST", "/login", login).status()).isEqualTo(200);
    assertThat(api.send("POST", "/login/rotate_key", "").status()).isEqualTo(204);
    assertThat(api.send("POST", "/login", login).status()).isEqualTo(200);
  }
}
