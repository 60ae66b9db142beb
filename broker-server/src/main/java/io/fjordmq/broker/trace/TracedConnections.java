package io.fjordmq.broker.trace;

/** The connections of this node. */
@FunctionalInterface
public interface TracedConnections {
  /**
   * Calls {@link Tracer#update} for connections whose traces may have changed, on their event
   * loops. Called on the thread {@code traces}.
   */
  void update();
}
