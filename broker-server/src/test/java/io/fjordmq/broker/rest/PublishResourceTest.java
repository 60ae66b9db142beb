package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.query.QueryFixture;
import io.fjordmq.broker.testing.TestClient;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Publishing over the API, on the second of three nodes. Payloads may have 100 bytes. */
class PublishResourceTest {
  private final QueryFixture nodes = new QueryFixture(3);
  private final TestRequest api =
      new TestRequest(new PublishResource(nodes.queries(1).publisher()), nodes::settled)
          .boundTo("t");

  @AfterEach
  void close() {
    nodes.close();
  }

  private Response publish(String body) {
    return api.send("POST", "/publish", body);
  }

  @Test
  void shouldPublishToConnectedAndOfflineSubscribers() {
    TestClient connected = nodes.cluster.node(0).connect("c");
    connected.subscribe(1, "a/+", 2).readAll();
    nodes.cluster.node(2).connectPersistent("p").subscribe(1, "a/+", 1).disconnect();
    Response response = publish("{\"topic\":\"a/b\",\"payload\":\"hello\",\"qos\":1}");
    assertThat(response.status()).isEqualTo(200);
    assertThat(TestRequest.body(response).get("id").asString()).matches("[0-9a-f]{32}");
    assertThat(connected.next()).startsWith("PUBLISH").contains("a/b", "hello");
    TestClient again = nodes.cluster.node(0).open().connect5("p", false, 1_000);
    assertThat(again.readAll().toString()).contains("PUBLISH", "a/b", "hello");
  }

  @Test
  void shouldSayThatThereAreNoSubscribers() {
    Response response = publish("{\"topic\":\"a\",\"payload\":\"\"}");
    assertThat(response.status()).isEqualTo(202);
    assertThat(TestRequest.body(response).toString())
        .isEqualTo("{\"reason_code\":16,\"message\":\"no_matching_subscribers\"}");
  }

  @Test
  void shouldPublishWithProperties() {
    TestClient client = nodes.cluster.node(0).connect("c");
    client.subscribe(1, "a", 0).readAll();
    publish(
        """
        {"topic":"a","payload":"AP8=","payload_encoding":"base64","properties":{
          "payload_format_indicator":0,"message_expiry_interval":60,"response_topic":"r",
          "correlation_data":"cd","user_properties":{"k":"v"},"content_type":"ct"}}\
        """);
    assertThat(client.next()).startsWith("PUBLISH");
    assertThat(client.property(0x01)).isEqualTo(0);
    assertThat(client.property(0x02)).isEqualTo(60);
    assertThat(client.property(0x03)).isEqualTo("ct");
    assertThat(client.property(0x08)).isEqualTo("r");
    assertThat((byte[]) client.property(0x09)).isEqualTo("cd".getBytes());
    assertThat(client.lastHex()).contains("26" + "00016b" + "000176").endsWith("00ff");
  }

  @Test
  void shouldPublishSeveralMessagesInOrder() {
    TestClient client = nodes.cluster.node(0).connect("c");
    client.subscribe(1, "a", 1).readAll();
    Response response =
        api.send(
            "POST",
            "/publish/bulk",
            """
            [{"topic":"a","payload":"1","qos":1},{"topic":"no","payload":"2"},
             {"topic":"a","payload":"3","qos":1}]\
            """);
    assertThat(response.status()).isEqualTo(202);
    JsonNode outcomes = TestRequest.body(response);
    assertThat(outcomes.size()).isEqualTo(3);
    assertThat(outcomes.get(0).has("id")).isTrue();
    assertThat(outcomes.get(1).get("reason_code").asInt()).isEqualTo(16);
    List<String> received = client.readAll();
    assertThat(received).hasSize(2);
    assertThat(received.get(0)).contains("1");
    assertThat(received.get(1)).contains("3");
  }

  @Test
  void shouldRejectInvalidMessages() {
    for (String body :
        List.of(
            "{\"topic\":\"a/#\",\"payload\":\"\"}",
            "{\"topic\":\"\",\"payload\":\"\"}",
            "{\"topic\":\"$SYS/x\",\"payload\":\"\"}",
            "{\"topic\":\"a\",\"payload\":\"!\",\"payload_encoding\":\"base64\"}",
            "{\"topic\":\"a\",\"payload\":\"\",\"qos\":3}",
            "{\"topic\":\"a\",\"payload\":\"\",\"properties\":{\"response_topic\":\"+\"}}",
            "{\"topic\":\"a\"}",
            "{\"topic\":\"a\",\"payload\":\"" + "x".repeat(101) + "\"}")) {
      assertThatThrownBy(() -> publish(body))
          .as(body)
          .isInstanceOfSatisfying(
              ApiException.class, error -> assertThat(error.status()).isEqualTo(400));
    }
  }

  @Test
  void shouldExplainWhichTextIsInvalid() {
    assertThatThrownBy(() -> publish("{\"topic\":\"$SYS/a\",\"payload\":\"\"}"))
        .hasMessage("topic: only the broker may publish to $SYS");
    assertThatThrownBy(() -> publish("{\"topic\":\"a/+\",\"payload\":\"\"}"))
        .hasMessage("topic: topic name contains the wildcard '+'");
    String message = "{\"topic\":\"a\",\"payload\":\"\",\"properties\":{%s}}";
    assertThatThrownBy(() -> publish(message.formatted("\"response_topic\":\"\"")))
        .hasMessage("properties.response_topic: topic name is empty");
    assertThatThrownBy(() -> publish(message.formatted("\"user_properties\":{\"a\\u0000\":\"b\"}")))
        .hasMessage("properties.user_properties: must not contain U+0000");
  }

  @Test
  void shouldSayThatTheNodeCannotPublish() {
    nodes.cluster.node(1).membership.stopServing("suspended by the test");
    Response response = publish("{\"topic\":\"a\",\"payload\":\"\",\"qos\":1}");
    assertThat(response.status()).isEqualTo(503);
    assertThat(TestRequest.body(response).get("reason_code").asInt()).isEqualTo(0x83);
  }
}
