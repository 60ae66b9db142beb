package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.broker.testing.OtlpCollector;
import io.fjordmq.broker.testing.OtlpCollector.ReceivedSpan;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes export what happens to one message, and change their log levels together. */
@Tag("slow")
class TelemetryTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PUBLISHER = "b7ad6b7169203331";
  private static final String TOPIC = "site/1";

  @Test
  void shouldFollowAMessageFromNodeToNode(@TempDir Path directory) throws IOException {
    try (OtlpCollector collector = new OtlpCollector();
        ClusterUnderTest cluster =
            ClusterUnderTest.startIn(
                directory,
                3,
                """
                logConfig:
                  format: json
                telemetryConfig:
                  endpoint: http://127.0.0.1:%d
                  metricsInterval: 1 s
                """
                    .formatted(collector.port()))) {
      publishFromFirstToSecond(cluster);
      Await.until(
          "all spans arrive",
          () ->
              collector.spans("publish").size() == 1
                  && collector.spans("route").size() == 1
                  && collector.spans("store").size() == 1
                  && collector.spans("deliver").size() == 2);
      ReceivedSpan publish = collector.spans("publish").get(0);
      assertThat(collector.spans).extracting(ReceivedSpan::traceId).containsOnly(TRACE);
      assertThat(publish.parentId()).isEqualTo(PUBLISHER);
      assertThat(collector.spans("deliver"))
          .allSatisfy(span -> assertThat(span.parentId()).isEqualTo(PUBLISHER))
          .extracting(ReceivedSpan::node)
          .doesNotContain(publish.node())
          .doesNotHaveDuplicates();
      for (String child : new String[] {"route", "store"}) {
        ReceivedSpan span = collector.spans(child).get(0);
        assertThat(span.parentId()).isEqualTo(publish.spanId());
        assertThat(span.node()).isEqualTo(publish.node());
      }
      assertThat(collector.spans).noneMatch(ReceivedSpan::isError);

      Set<String> nodes = new HashSet<>();
      Await.until(
          "all nodes export lines and metrics",
          () -> {
            collector.lines.forEach(line -> nodes.add(line.node()));
            return nodes.size() == 3
                && collector.metrics.stream()
                    .anyMatch(metric -> metric.getName().startsWith("fjordmq."));
          });
      changeLevels(cluster);
      publishThroughTheApi(cluster, collector);
    }
  }

  private static void publishThroughTheApi(ClusterUnderTest cluster, OtlpCollector collector)
      throws IOException {
    int before = collector.spans("publish").size();
    ApiClient api = ApiClient.of(cluster.node(2).nodeDirectory());
    ApiClient.Response published =
        api.send(
            "POST",
            "/publish",
            """
            {"topic": "%s", "payload": "hello", "qos": 1, "retain": true,
             "properties": {"user_properties": {"traceparent": "00-%s-%s-01"}}}
            """
                .formatted(TOPIC, TRACE, PUBLISHER));
    assertThat(published.status()).as(String.valueOf(published.body())).isEqualTo(200);
    Await.until(
        "its spans arrive",
        () ->
            collector.spans("publish").size() == before + 1
                && collector.spans("retain").size() == 1);
    ReceivedSpan publish = collector.spans("publish").get(before);
    assertThat(publish.parentId()).isEqualTo(PUBLISHER);
    assertThat(publish.attributes()).containsEntry("fjordmq.origin", "api");
    assertThat(collector.spans("retain").get(0).parentId()).isEqualTo(publish.spanId());
  }

  /** To a persistent session on the second node, and to a transient one on the third. */
  private static void publishFromFirstToSecond(ClusterUnderTest cluster) {
    try (Mqtt5Session publisher = new Mqtt5Session(cluster.node(1).mqtt(), "publisher");
        Mqtt5Session persistent = new Mqtt5Session(cluster.node(2).mqtt(), "persistent");
        Mqtt5Session transientOne = new Mqtt5Session(cluster.node(3).mqtt(), "transient")) {
      publisher.connect();
      persistent.connect(connect -> connect.cleanStart(false).sessionExpiryInterval(1_000));
      persistent.subscribe(TOPIC, MqttQos.AT_LEAST_ONCE);
      transientOne.connect();
      transientOne.subscribe(TOPIC, MqttQos.AT_MOST_ONCE);
      publisher.publish(
          TOPIC,
          MqttQos.AT_LEAST_ONCE,
          "hello",
          publish ->
              publish
                  .userProperties()
                  .add("traceparent", "00-" + TRACE + "-" + PUBLISHER + "-01")
                  .applyUserProperties());
      publisher.publish(TOPIC, MqttQos.AT_LEAST_ONCE, "not traced");
      assertThat(persistent.nextText()).isEqualTo("hello");
      assertThat(persistent.nextText()).isEqualTo("not traced");
      assertThat(transientOne.nextText()).isEqualTo("hello");
    }
  }

  private static void changeLevels(ClusterUnderTest cluster) throws IOException {
    ApiClient api = ApiClient.of(cluster.node(1).nodeDirectory());
    ApiClient.Response changed =
        api.send("PUT", "/log/levels/clients", "{\"level\":\"info\",\"for_seconds\":60}");
    assertThat(changed.status()).as(String.valueOf(changed.body())).isEqualTo(200);
    assertThat(changed.body().get("data")).hasSize(3);
    for (BrokerUnderTest node : cluster.nodes()) {
      try (Mqtt5Session client = new Mqtt5Session(node.mqtt(), "logged")) {
        client.connect();
      }
      Path log = node.nodeDirectory().resolve("logs/fjordmq.log");
      Await.until(
          "the node logs the client",
          () -> read(log).contains("\"message\":\"Client connected client=logged "));
      assertThat(Files.readAllLines(log)).allMatch(line -> line.startsWith("{\"timestamp\":"));
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
