package io.fjordmq.broker.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What three nodes report about themselves and the cluster. */
@Tag("slow")
class ClusterMetricsTest {
  private static final int NODES = 3;
  private static final int MESSAGES = 2_000;
  private static final List<String> STORES = List.of("dist", "inbox", "retain");

  private static final String LAG = "fjordmq_range_replica_lag_entries";
  private static final String LEADERLESS = "fjordmq_cluster_ranges_without_leader";

  @TempDir Path directory;

  @Test
  void shouldShowTheStateOfTheClusterAndTheLatencyOfMessages() throws Exception {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, NODES, "")) {
      for (BrokerUnderTest node : cluster.nodes()) {
        Await.until("three nodes are up", 60, () -> nodes(node, "up") == NODES);
        Await.until("every range has three voters", 60, () -> isHealthy(node));
        Await.until("no follower lags", 60, () -> node.scrape().sum(LAG) == 0);
        assertServing(node);
      }
      measureMessagesBetweenNodes(cluster.node(1), cluster.node(2));
      assertPlacementSteps(cluster);
      assertOpenMetrics(cluster.node(1));
      cluster.node(3).kill();
      Await.until("one node is down", 60, () -> nodes(cluster.node(1), "down") == 1);
      Scrape survivor = cluster.node(1).scrape();
      assertThat(survivor.sum("fjordmq_cluster_ranges_under_replicated")).isPositive();
      Await.until("the others lead", 60, () -> cluster.node(1).scrape().sum(LEADERLESS) == 0);
    }
  }

  private static double nodes(BrokerUnderTest node, String state) {
    return node.scrape().value("fjordmq_cluster_nodes{state=\"" + state + "\"}");
  }

  private static boolean isHealthy(BrokerUnderTest node) {
    Scrape scrape = node.scrape();
    boolean hasRanges =
        STORES.stream()
            .allMatch(store -> scrape.value("fjordmq_cluster_ranges{store=\"" + store + "\"}") > 0);
    return hasRanges
        && scrape.sum(LEADERLESS) == 0
        && scrape.sum("fjordmq_cluster_ranges_under_replicated") == 0;
  }

  private static void assertServing(BrokerUnderTest node) {
    Await.until("ready", 60, () -> node.scrape().value("fjordmq_ready") == 1);
    Scrape scrape = node.scrape();
    assertThat(scrape.value("fjordmq_serving")).isOne();
    assertThat(scrape.value("fjordmq_lease_remaining_seconds")).isPositive();
  }

  /** Messages from one node to a subscriber on another one. */
  private static void measureMessagesBetweenNodes(BrokerUnderTest from, BrokerUnderTest to) {
    try (Mqtt5Session publisher = new Mqtt5Session(from.mqtt(), "publisher");
        Mqtt5Session subscriber = new Mqtt5Session(to.mqtt(), "subscriber")) {
      publisher.connect();
      subscriber.connect();
      subscriber.subscribe("measured/#", MqttQos.AT_LEAST_ONCE);
      for (int i = 0; i < MESSAGES; i++) {
        publisher.publish("measured/1", MqttQos.AT_LEAST_ONCE, "x");
        subscriber.next();
      }
      Scrape scrape = to.scrape();
      assertThat(scrape.value("fjordmq_publish_deliver_seconds_count"))
          .as("one of 64 messages, about")
          .isBetween(5.0, MESSAGES / 10.0);
      assertThat(scrape.value("fjordmq_publish_deliver_seconds_bucket{le=\"10.0\"}"))
          .isEqualTo(scrape.value("fjordmq_publish_deliver_seconds_count"));
      assertThat(from.scrape().sum("fjordmq_publish_deliver_seconds_count")).isZero();
      assertThat(scrape.value("fjordmq_route_barrier_seconds_count")).isPositive();
      assertThat(scrape.sum("fjordmq_route_barrier_wait_seconds_total")).isPositive();
      assertThat(
              scrape.value(
                  "fjordmq_listener_connections{listener=\"tcpListener\",protocol=\"tcp\"}"))
          .isOne();
    }
  }

  /** The first node created the other replicas. */
  private static void assertPlacementSteps(ClusterUnderTest cluster) {
    assertThat(
            cluster.nodes().stream()
                .mapToDouble(
                    node ->
                        node.scrape()
                            .value(
                                "fjordmq_placement_steps_total{result=\"done\","
                                    + "step=\"create_replica\"}"))
                .sum())
        .isPositive();
  }

  private static void assertOpenMetrics(BrokerUnderTest node)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.httpPort() + "/metrics"))
            .header("Accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
            .header("Accept-Encoding", "gzip")
            .build();
    HttpResponse<byte[]> response =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofByteArray());
    assertThat(response.headers().firstValue("content-type").orElseThrow())
        .isEqualTo("application/openmetrics-text; version=1.0.0; charset=utf-8");
    String page =
        new String(
            new GZIPInputStream(new ByteArrayInputStream(response.body())).readAllBytes(), UTF_8);
    assertThat(page).endsWith("# EOF\n");
    assertThat(response.body().length).as("compressed").isLessThan(page.length() / 5);
    long series = page.lines().filter(line -> !line.startsWith("#")).count();
    assertThat(series).as(series(page)).isBetween(500L, 2_000L);
  }

  private static String series(String page) {
    return page.lines()
        .filter(line -> !line.startsWith("#"))
        .collect(Collectors.groupingBy(line -> line.split("[{ ]")[0], Collectors.counting()))
        .toString();
  }
}
