package io.fjordmq.broker.system;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvSpace;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.range.kv.RocksKvSettings;
import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Three nodes notice that a row on the disk of one of them has changed, and keep serving. */
@Tag("slow")
class ReplicaComparisonTest {
  private static final int NODES = 3;
  private static final String SETTINGS = "rangeConfig:\n  comparisonInterval: 2 s\n";
  private static final String COMPARISONS = "fjordmq_range_comparisons_total";

  @TempDir Path directory;

  @Test
  void shouldRaiseAnAlarmAboutARowThatHasChangedOnOneNode() {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, NODES, SETTINGS)) {
      retain(cluster.node(1), "before");
      Await.until("replicas are compared", 60, () -> count(cluster, "equal") > 10 * NODES);
      assertThat(alarm(cluster)).isNull();
      assertThat(count(cluster, "different")).isZero();

      BrokerUnderTest damaged = cluster.node(3);
      assertThat(damaged.drain()).isZero();
      changeRetainedPayload(damaged);
      damaged.restart();
      Await.until("the alarm is raised", 60, () -> alarm(cluster) != null);
      Await.until(
          "a second comparison confirms it",
          60,
          () -> details(alarm(cluster)).getOrDefault("confirmed", "").equals("true"));
      String id = id(damaged);
      Await.until(
          "the alarm names the node",
          60,
          () -> details(alarm(cluster)).getOrDefault("deviating", "").equals(id));
      assertThat(Objects.requireNonNull(alarm(cluster)).get("message").asString())
          .contains("hold different rows", "bin/fjordmq ranges rebuild retain-", "--node " + id);
      retain(cluster.node(3), "after"); // nothing has halted

      String range = details(alarm(cluster)).getOrDefault("range", "");
      api(cluster.node(1)).send("POST", "/ranges/" + range + "/rebuild?node=" + id, "");
      Await.until("the rebuilt replica is equal", 180, () -> alarm(cluster) == null);
    }
  }

  private static void retain(BrokerUnderTest node, String payload) {
    try (Mqtt5Session publisher = new Mqtt5Session(node.mqtt(), "publisher")) {
      publisher.connect();
      for (int i = 0; i < 10; i++) {
        publisher.publish(
            "kept/" + payload + i,
            MqttQos.AT_LEAST_ONCE,
            payload,
            publish -> publish.retain(true));
      }
    }
  }

  /** Changes a stored row of a node that is not running. */
  private static void changeRetainedPayload(BrokerUnderTest node) {
    try (RocksKv kv =
        RocksKv.open(node.nodeDirectory().resolve("data/state"), RocksKvSettings.DEFAULTS)) {
      KvSpace space = kv.space("retain");
      KvBatch batch = new KvBatch();
      space
          .latest()
          .scan(
              new byte[] {1},
              new byte[] {2},
              (key, value) -> {
                int at = new String(value, ISO_8859_1).lastIndexOf("before");
                if (at < 0) {
                  return true;
                }
                System.arraycopy("BEFORE".getBytes(UTF_8), 0, value, at, 6);
                batch.put(key, value);
                return false;
              });
      assertThat(batch.size()).isEqualTo(1);
      space.write(batch);
      kv.flush().join();
    }
  }

  /** Comparisons with this result, of all stores on all nodes. */
  private static double count(ClusterUnderTest cluster, String result) {
    return cluster.nodes().stream()
        .flatMap(node -> node.scrape().samples().entrySet().stream())
        .filter(sample -> sample.getKey().startsWith(COMPARISONS))
        .filter(sample -> sample.getKey().contains("result=\"" + result + "\""))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  private static ApiClient api(BrokerUnderTest node) {
    return ApiClient.of(node.nodeDirectory());
  }

  private static String id(BrokerUnderTest node) {
    return api(node).get("/cluster").body().get("self").asString();
  }

  private static @Nullable JsonNode alarm(ClusterUnderTest cluster) {
    for (JsonNode alarm : api(cluster.node(1)).get("/alarms").body().get("data")) {
      if (alarm.get("name").asString().equals("replicas_differ")) {
        return alarm;
      }
    }
    return null;
  }

  private static Map<String, String> details(@Nullable JsonNode alarm) {
    Map<String, String> details = new LinkedHashMap<>();
    if (alarm != null) {
      alarm
          .get("details")
          .properties()
          .forEach(entry -> details.put(entry.getKey(), entry.getValue().asString()));
    }
    return details;
  }
}
