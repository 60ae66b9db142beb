package io.fjordmq.broker.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.TestCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Nodes that answer queries about each other's clients, in one thread. */
public final class QueryFixture implements AutoCloseable {
  public final TestCluster cluster;
  private final List<ClusterQueries> queries = new ArrayList<>();

  public QueryFixture(int size) {
    this(new TestCluster(size));
  }

  /**
   * @param cluster closed with this fixture
   */
  QueryFixture(TestCluster cluster) {
    this.cluster = cluster;
    for (int node = 0; node < cluster.size(); node++) {
      queries.add(ClusterQueries.openOn(cluster.node(node).queryDependencies, Runnable::run));
    }
  }

  /** The queries of a node, from 0. */
  public ClusterQueries queries(int node) {
    return queries.get(node);
  }

  /** Runs everything until the future is complete. */
  public <T> CompletableFuture<T> settled(CompletableFuture<T> future) {
    cluster.settle();
    assertThat(future).isDone();
    return future;
  }

  @Override
  public void close() {
    cluster.close();
  }
}
