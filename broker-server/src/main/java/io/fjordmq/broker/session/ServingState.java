package io.fjordmq.broker.session;

import org.jspecify.annotations.Nullable;

/**
 * Tells whether this node may serve clients: the cluster must have admitted it, and its lease must
 * be valid.
 */
@FunctionalInterface
public interface ServingState {
  /** The state of a single node, which is always serving. */
  ServingState ALWAYS = () -> null;

  /**
   * Returns the reason why the node must not serve clients, for the log and for clients; null if
   * the node may serve them. Can be called on any thread.
   */
  @Nullable String notServingReason();
}
