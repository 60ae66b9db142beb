package io.fjordmq.broker.system;

import io.fjordmq.testing.FreePorts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Several node processes of one cluster; the first creates it, the others join. */
final class ClusterUnderTest implements AutoCloseable {
  private final List<BrokerUnderTest> nodes = new ArrayList<>();

  /** Starts the nodes in order, each when the one before accepts clients. */
  static ClusterUnderTest startIn(Path directory, int size, String more) {
    ClusterUnderTest cluster = new ClusterUnderTest();
    try {
      int number = 0;
      for (NodeFile file : files(size, more)) {
        BrokerUnderTest node = BrokerUnderTest.launchIn(directory.resolve("node" + ++number), file);
        cluster.nodes.add(node);
        node.awaitListening();
      }
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
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
    nodes.forEach(BrokerUnderTest::close);
  }
}
