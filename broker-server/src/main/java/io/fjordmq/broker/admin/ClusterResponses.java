package io.fjordmq.broker.admin;

import java.util.List;
import java.util.function.Function;

/**
 * The responses of the nodes of the cluster.
 *
 * @param values in the order of the node ids
 * @param problems one line for each node that is missing; empty if all nodes responded
 */
public record ClusterResponses<T>(List<OfNode<T>> values, List<String> problems) {
  /**
   * A value of one node.
   *
   * @param node the id of the node
   */
  public record OfNode<T>(String node, T value) {
    /** The same node with another value. */
    public <R> OfNode<R> with(R other) {
      return new OfNode<>(node, other);
    }
  }

  /** Replaces each value with any number of values. */
  <R> ClusterResponses<R> flatMap(Function<T, List<R>> mapping) {
    return new ClusterResponses<>(
        values.stream()
            .flatMap(one -> mapping.apply(one.value).stream().map(value -> one.with(value)))
            .toList(),
        problems);
  }
}
