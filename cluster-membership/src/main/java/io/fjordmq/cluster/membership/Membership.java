package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** This node's place in its cluster. Thread-safe; nothing here blocks. */
public interface Membership {

  NodeId self();

  /** Of the present life; grows with each. */
  long incarnation();

  /** The nodes as far as this one knows. */
  Members members();

  /** Called with what there is before this returns, on the calling thread; later on another. */
  void watch(MembershipListener listener);

  /**
   * Whether this node is admitted and its lease holds at this moment: it may accept connections,
   * publishes and subscriptions, and may say that a subscription is effective. Costs a look at two
   * fields.
   */
  boolean isServing();

  /** Why not, in a sentence for the operator; null if it is. */
  @Nullable String notServingBecause();

  /**
   * Writes to the metadata, through their leader wherever it is. Fails with {@link
   * io.fjordmq.cluster.consensus.ConsensusException}; one whose outcome is unknown may have been
   * applied.
   */
  CompletableFuture<WriteResult> write(List<Change> batch);
}
