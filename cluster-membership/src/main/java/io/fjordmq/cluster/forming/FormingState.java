package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * The durable state of a node without a cluster.
 *
 * @param node its permanent id
 * @param number the number of its latest proposal; earlier proposals, and promises to them, are
 *     void
 * @param promise its promise to another node; null if it has made none that holds. A node with a
 *     promise has no proposal of its own
 * @param clusterId the id of the cluster that this node has founded; null if it has not
 */
record FormingState(
    NodeId node, long number, @Nullable Promise promise, @Nullable String clusterId) {

  FormingState {
    if (promise != null && (clusterId != null || promise.proposer().equals(node))) {
      throw new IllegalArgumentException(
          "a node with a promise cannot create a cluster, and promises nothing to itself");
    }
  }

  static FormingState of(NodeId node) {
    return new FormingState(node, 0, null, null);
  }

  /** Makes the latest proposal void, and promises to it. */
  FormingState withNextNumber() {
    return new FormingState(node, number + 1, promise, clusterId);
  }

  /** Also makes the latest proposal void. */
  FormingState withPromise(Promise next) {
    return new FormingState(node, number + 1, next, clusterId);
  }

  FormingState withoutPromise() {
    return new FormingState(node, number, null, clusterId);
  }

  FormingState withCluster(String founded) {
    return new FormingState(node, number, promise, founded);
  }
}
