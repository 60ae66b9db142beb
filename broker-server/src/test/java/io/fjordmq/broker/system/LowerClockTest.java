package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranges whose clocks are ahead of cluster time: status shows them, lower-clock sets them back. */
@Tag("slow")
class LowerClockTest {
  private static final Duration AHEAD = Duration.ofHours(1);
  private static final long TIMEOUT_SECONDS = 60;
  private static final int DONE = 0;
  private static final int FAILED = 1;
  private static final Pattern REMARK =
      Pattern.compile("the clock of range (\\S+) is (\\d+) s ahead of cluster time");

  @TempDir Path directory;

  @Test
  void shouldShowRangeClocksThatAreAheadAndLowerThemFromAnyNode() throws IOException {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, 2, "")) {
      restart(cluster, file -> saveClusterTime(file, Instant.now().plus(AHEAD)));
      writeToRanges(cluster.node(2));
      restart(cluster, Files::deleteIfExists); // so the nodes use their correct clocks

      Map<String, Duration> ahead = awaitAhead(cluster);
      assertThat(ahead.values()).allSatisfy(by -> assertThat(by).isBetween(minAhead(), AHEAD));
      BrokerUnderTest asked = cluster.node(1);
      for (String range : ahead.keySet()) {
        assertThat(lowerClock(asked, range))
            .startsWith(DONE + "\n")
            .containsPattern("set back the clock of range " + range + ", which was \\d{4} s ahead");
        asked = asked == cluster.node(1) ? cluster.node(2) : cluster.node(1);
      }
      assertThat(ahead(cluster.node(1))).isEmpty();
      assertThat(ahead(cluster.node(2))).isEmpty();
      assertThat(lowerClock(asked, ahead.keySet().iterator().next()))
          .startsWith(FAILED + "\n")
          .contains("is not ahead of cluster time");
    }
  }

  /** The restart may have taken part of the difference. */
  private static Duration minAhead() {
    return AHEAD.minusMinutes(10);
  }

  /** What is done with the file in which a node keeps cluster time while it is down. */
  private interface ClockFileChange {
    void apply(Path file) throws IOException;
  }

  /** Kills all nodes at once, so that no node knows cluster time. */
  private static void restart(ClusterUnderTest cluster, ClockFileChange change) throws IOException {
    cluster.nodes().forEach(BrokerUnderTest::kill);
    for (BrokerUnderTest node : cluster.nodes()) {
      change.apply(node.nodeDirectory().resolve("data/clock"));
      node.relaunch();
    }
    cluster.nodes().forEach(BrokerUnderTest::awaitListening);
  }

  /** Cluster time is not earlier than this after a restart, whatever wall clocks say. */
  private static void saveClusterTime(Path file, Instant time) throws IOException {
    Files.writeString(file, "fjordmq clock, form 1\n" + time.toEpochMilli() + "\n");
  }

  private static void writeToRanges(BrokerUnderTest node) {
    try (Mqtt5Session client = new Mqtt5Session(node.mqtt(), "writer")) {
      client.connect(connect -> connect.sessionExpiryInterval(86_400));
      client.subscribe("kept", MqttQos.AT_LEAST_ONCE);
      client.publish("kept", MqttQos.AT_LEAST_ONCE, "text", publish -> publish.retain(true));
    }
  }

  /** The clocks that every node shows once all written ranges have leaders again. */
  private static Map<String, Duration> awaitAhead(ClusterUnderTest cluster) {
    Await.until(
        "both nodes show the same clocks",
        TIMEOUT_SECONDS,
        () -> {
          Set<String> rangesAhead = ahead(cluster.node(1)).keySet();
          return Stream.of("dist-", "inbox-", "retain-")
                  .allMatch(
                      store -> rangesAhead.stream().anyMatch(range -> range.startsWith(store)))
              && rangesAhead.equals(ahead(cluster.node(2)).keySet());
        });
    return ahead(cluster.node(1));
  }

  /** The response of the range's leader; while it moves there is none. */
  private static String lowerClock(BrokerUnderTest node, String range) {
    String[] response = {""};
    Await.until(
        "a leader of " + range,
        TIMEOUT_SECONDS,
        () -> {
          response[0] = node.command("lower-clock " + range);
          return !response[0].contains("retry later");
        });
    return response[0];
  }

  private static Map<String, Duration> ahead(BrokerUnderTest node) {
    Map<String, Duration> found = new TreeMap<>();
    Matcher remark = REMARK.matcher(statusPage(node));
    while (remark.find()) {
      found.put(remark.group(1), Duration.ofSeconds(Long.parseLong(remark.group(2))));
    }
    return found;
  }

  private static String statusPage(BrokerUnderTest node) {
    return Scrape.get(node.httpPort(), "/status").body();
  }
}
