package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code $SYS} as a client of a running broker sees it. */
@Tag("slow")
class SysTopicsSystemTest {
  private static final String CONFIGURATION =
      """
      sysTopicsConfig:
        clientEvents: true
        interval: 200 ms
      """;

  @TempDir Path directory;

  @Test
  void shouldPublishNodeStatisticsAndClientEvents() throws InterruptedException {
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, CONFIGURATION, List.of())) {
      Mqtt5BlockingClient watcher = connected(broker, "watcher");
      try (Mqtt5BlockingClient.Mqtt5Publishes publishes =
          watcher.publishes(MqttGlobalPublishFilter.ALL)) {
        watcher.subscribeWith().topicFilter("$SYS/#").qos(MqttQos.EXACTLY_ONCE).send();
        Map<String, String> values = new HashMap<>();
        Mqtt5Publish version = await(publishes, values, "$SYS/broker/version"::equals);
        assertThat(version.isRetain()).isTrue();
        await(publishes, values, topic -> topic.endsWith("/sysdescr"));
        assertThat(values)
            .containsEntry("$SYS/broker/version", "FjordMQ version unpackaged")
            .containsKeys("$SYS/broker/clients/total", "$SYS/broker/load/sockets/15min");

        Mqtt5BlockingClient other = connected(broker, "a/b+c");
        await(publishes, values, topic -> topic.endsWith("/clients/a/b%2Bc/connected"));
        other.disconnect();
        Mqtt5Publish gone =
            await(publishes, values, topic -> topic.endsWith("/clients/a/b%2Bc/disconnected"));
        assertThat(gone.isRetain()).isFalse();
        assertThat(text(gone)).contains("\"clientid\":\"a/b+c\"", "\"reason\":\"normal\"");

        Mqtt5Publish uptime = await(publishes, values, "$SYS/broker/uptime"::equals);
        assertThat(uptime.isRetain()).as("published, not replayed").isFalse();
      }
      watcher.disconnect();
    }
  }

  private static Mqtt5BlockingClient connected(BrokerUnderTest broker, String clientId) {
    Mqtt5BlockingClient client =
        MqttClient.builder()
            .useMqttVersion5()
            .identifier(clientId)
            .serverHost("127.0.0.1")
            .serverPort(broker.port())
            .buildBlocking();
    client.connect();
    return client;
  }

  /** The next message to such a topic; stores all messages before it in values. */
  private static Mqtt5Publish await(
      Mqtt5BlockingClient.Mqtt5Publishes publishes,
      Map<String, String> values,
      Predicate<String> topic)
      throws InterruptedException {
    while (true) {
      Mqtt5Publish publish =
          publishes
              .receive(20, TimeUnit.SECONDS)
              .orElseThrow(() -> new AssertionError("did not arrive; received " + values));
      values.put(publish.getTopic().toString(), text(publish));
      if (topic.test(publish.getTopic().toString())) {
        return publish;
      }
    }
  }

  private static String text(Mqtt5Publish publish) {
    return new String(publish.getPayloadAsBytes(), StandardCharsets.UTF_8);
  }
}
