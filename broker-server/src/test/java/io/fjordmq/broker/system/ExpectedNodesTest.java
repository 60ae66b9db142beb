package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes with {@code expectNodes: 3}, whose files differ only in their ports, create one
 * cluster.
 */
@Tag("slow")
class ExpectedNodesTest {
  private static final long TIMEOUT_SECONDS = 60;

  @TempDir Path directory;

  private final List<BrokerUnderTest> nodes = new ArrayList<>();

  @AfterEach
  void stop() {
    ClusterUnderTest.stopAll(nodes);
  }

  @Test
  void shouldFormOneClusterAndReplaceANodeThatLosesItsData() throws Exception {
    List<NodeFile> files =
        ClusterUnderTest.files(3, "expectNodes: 3\n").stream()
            .map(file -> file.withBootstrap(false))
            .toList();
    BrokerUnderTest first = launch(files.get(0));
    BrokerUnderTest second = launch(files.get(1));
    awaitNotReady(first, "waiting to create a cluster: found 2 of 3 nodes");
    awaitNotReady(second, "start 1 more");
    assertThat(Scrape.get(first.httpPort(), "/status").body()).contains("found 2 of 3 nodes");

    launch(files.get(2));
    Await.until("a founder", TIMEOUT_SECONDS, () -> nodes.stream().anyMatch(this::founds));
    BrokerUnderTest founder = nodes.stream().filter(this::founds).findFirst().orElseThrow();
    founder.kill(); // before or while it creates the cluster
    founder.relaunch();
    nodes.forEach(BrokerUnderTest::awaitListening);
    String cluster = identityOf(first, "cluster ");
    assertThat(nodes).allMatch(node -> identityOf(node, "cluster ").equals(cluster));
    awaitNodes(first, 3);
    nodes.forEach(ClusterUnderTest::awaitVoters);

    BrokerUnderTest lost = nodes.stream().filter(node -> node != founder).findFirst().orElseThrow();
    String id = identityOf(lost, "node ");
    lost.kill();
    delete(lost.nodeDirectory().resolve("data"));
    lost.restart();
    assertThat(identityOf(lost, "cluster ")).isEqualTo(cluster);
    assertThat(identityOf(lost, "node ")).isNotEqualTo(id);
    awaitNodes(founder, 4);
  }

  private BrokerUnderTest launch(NodeFile file) {
    Path folder = directory.resolve("node" + (nodes.size() + 1));
    BrokerUnderTest node = BrokerUnderTest.launchIn(folder, file);
    nodes.add(node);
    return node;
  }

  private boolean founds(BrokerUnderTest node) {
    return node.output().contains("Creating the cluster");
  }

  private static void awaitNotReady(BrokerUnderTest node, String reason) {
    Await.until(
        "/readyz says: " + reason,
        TIMEOUT_SECONDS,
        () ->
            node.output().contains("Not in a cluster yet")
                && Scrape.get(node.httpPort(), "/readyz").body().contains(reason));
  }

  private static void awaitNodes(BrokerUnderTest asked, int expected) {
    Await.until(
        expected + " nodes in the status",
        TIMEOUT_SECONDS,
        () ->
            Scrape.get(asked.httpPort(), "/status")
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("node "))
                    .count()
                == expected);
  }

  private static String identityOf(BrokerUnderTest node, String key) {
    try {
      return Files.readAllLines(node.nodeDirectory().resolve("data/node.id")).stream()
          .filter(line -> line.startsWith(key))
          .map(line -> line.substring(key.length()))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
