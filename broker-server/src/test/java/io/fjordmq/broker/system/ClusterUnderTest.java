package io.fjordmq.broker.system;

import io.fjordmq.testing.Await;
import io.fjordmq.testing.FreePorts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Several node processes of one cluster; the first creates it, the others join. */
final class ClusterUnderTest implements AutoCloseable {
  private final List<BrokerUnderTest> nodes = new ArrayList<>();

  /**
   * Starts the first node and, when it accepts clients, all others at the same time. Returns when
   * every range has all its voters, so that a test may stop a node at once: a range that has grown
   * to two of three voters is unavailable while one of them is down.
   */
  static ClusterUnderTest startIn(Path directory, int size, String more) {
    ClusterUnderTest cluster = new ClusterUnderTest();
    try {
      for (NodeFile file : files(size, more)) {
        cluster.launch(directory, file);
        if (cluster.nodes.size() == 1) {
          cluster.node(1).awaitListening();
        }
      }
      cluster.nodes.forEach(BrokerUnderTest::awaitListening);
      cluster.nodes.forEach(ClusterUnderTest::awaitVoters);
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  /** Waits until a node may be stopped without making ranges unavailable. */
  static void awaitVoters(BrokerUnderTest node) {
    Await.until(
        "every range has its voters",
        60,
        () -> node.scrape().sum("fjordmq_cluster_ranges_under_replicated") == 0);
  }

  private void launch(Path directory, NodeFile file) {
    Path folder = directory.resolve("node" + (nodes.size() + 1));
    nodes.add(BrokerUnderTest.launchIn(folder, file));
  }

  /** Files as the documentation shows them: the same seeds in each, the first bootstraps. */
  static List<NodeFile> files(int size, String more) {
    List<Integer> ports =
        IntStream.range(0, size).mapToObj(node -> FreePorts.forCluster()).toList();
    String seeds = ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    List<NodeFile> files = new ArrayList<>();
    for (int port : ports) {
      files.add(
          NodeFile.standalone(more)
              .withBootstrap(files.isEmpty())
              .withSeeds(seeds)
              .withCluster(port));
    }
    return files;
  }

  /** The node of this number, from 1. */
  BrokerUnderTest node(int number) {
    return nodes.get(number - 1);
  }

  List<BrokerUnderTest> nodes() {
    return List.copyOf(nodes);
  }

  /** The output of all nodes, for messages of failed tests. */
  String output() {
    StringBuilder all = new StringBuilder();
    for (int number = 1; number <= nodes.size(); number++) {
      all.append("== node ").append(number).append('\n').append(node(number).output());
    }
    return all.toString();
  }

  @Override
  public void close() {
    stopAll(nodes);
  }

  /** Stops all nodes at the same time and waits until all of them have exited. */
  static void stopAll(List<BrokerUnderTest> nodes) {
    nodes.forEach(BrokerUnderTest::requestStop);
    nodes.forEach(BrokerUnderTest::close);
  }
}
