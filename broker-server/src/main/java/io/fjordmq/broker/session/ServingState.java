package io.fjordmq.broker.session;

import org.jspecify.annotations.Nullable;

/** Whether this node may serve clients: it is admitted to its cluster and its lease holds. */
@FunctionalInterface
public interface ServingState {
  /** A node without others. */
  ServingState ALWAYS = () -> null;

  /** Why not, in a sentence; null if it may. Any thread. */
  @Nullable String refusedBecause();
}
