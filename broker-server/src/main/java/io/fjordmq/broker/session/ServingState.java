package io.fjordmq.broker.session;

import org.jspecify.annotations.Nullable;

/** Whether this node may serve clients: it is admitted to its cluster and its lease is valid. */
@FunctionalInterface
public interface ServingState {
  /** Always serving: the state of a single node. */
  ServingState ALWAYS = () -> null;

  /** Why the node may not serve, in a sentence; null if it may. Any thread. */
  @Nullable String notServingReason();
}
