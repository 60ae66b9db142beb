package io.fjordmq.broker.session;

import org.jspecify.annotations.Nullable;

/**
 * Determines whether this node may serve clients, which requires that the cluster has admitted it
 * and its lease is valid.
 */
@FunctionalInterface
public interface ServingState {
  /** The state of a single node, which is always serving. */
  ServingState ALWAYS = () -> null;

  /**
   * Returns a sentence that explains why the node must not serve clients; null if it may. Can be
   * called on any thread.
   */
  @Nullable String notServingReason();
}
