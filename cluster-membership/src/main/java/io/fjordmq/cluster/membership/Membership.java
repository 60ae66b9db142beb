package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** This node's membership in its cluster. Thread-safe; never blocks. */
public interface Membership {

  NodeId self();

  /** Returns the current incarnation; increases with each registration. */
  long incarnation();

  /** Returns the members that this node knows. */
  Members members();

  /**
   * Registers a listener. Before this method returns, it calls the listener with the current
   * members on the calling thread; later calls come from another thread.
   */
  void watch(MembershipListener listener);

  /**
   * Returns whether this node is admitted and its lease is currently valid. Only then may it accept
   * connections, publishes and subscriptions, and acknowledge a subscription. Cheap enough for
   * every packet.
   */
  boolean isServing();

  /** Returns why this node is not serving, for the operator; null if it is. */
  @Nullable String notServingReason();

  /**
   * Writes to the metadata through its leader, on any node. Fails with {@link
   * io.fjordmq.cluster.consensus.ConsensusException}; a write with unknown outcome may have been
   * applied.
   */
  CompletableFuture<WriteResult> write(List<Change> batch);
}
