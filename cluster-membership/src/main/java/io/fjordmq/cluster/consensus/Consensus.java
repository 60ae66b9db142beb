package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import java.util.concurrent.CompletableFuture;

/**
 * This node's replica of one Raft group.
 *
 * <p>Thread-safe. Every method except {@link #close} returns immediately. Futures complete on a
 * thread of the host; do not block it.
 */
public interface Consensus extends AutoCloseable {

  GroupId group();

  /**
   * Returns the leader as far as this replica knows; the result may be stale by the time it is
   * read.
   */
  Leadership leadership();

  /**
   * Proposes an entry. Then exactly one of two things happens: {@link ReplicatedState#apply} of
   * this replica receives the entry together with this {@code proposal} object, or {@link
   * Proposal#onFailed} is called. While a leader keeps its term, entries are applied in the order
   * of the calls.
   *
   * @param expectedTerm term on which the caller based its decision; the entry is not appended in
   *     any other term
   * @param entry must not be modified after the call
   */
  void propose(long expectedTerm, byte[] entry, Proposal proposal);

  /**
   * Completes with an index once this replica has applied every entry that was committed at the
   * time of the call. Later reads of the local state are linearizable. Fails with {@link
   * ConsensusException}.
   */
  CompletableFuture<Long> readIndex();

  /**
   * Changes the replicas of the group; leader only. Fails with {@link ConsensusException}; the
   * group may then have an intermediate configuration.
   */
  CompletableFuture<Void> changeReplicas(ReplicaSet target);

  /**
   * Transfers leadership to another voter; leader only. Completes once the target leads. Fails with
   * {@link ConsensusException}.
   */
  CompletableFuture<Void> transferLeadership(NodeId target);

  /**
   * Starts an election immediately instead of after the election timeout, if this replica is a
   * voter and its group has had no election yet. Intended for a group that was just created.
   */
  void campaign();

  /**
   * Makes everything applied so far durable ({@link ReplicatedState#checkpoint}), then allows the
   * log to be truncated. Completes with the last index that the checkpoint covers.
   */
  CompletableFuture<Long> checkpoint();

  /** Returns whether the group has only one voter. Cheaper than {@link #status}. */
  default boolean hasSingleVoter() {
    return status().replicas().voters().size() == 1;
  }

  /** Statistics for metrics and status pages. */
  GroupStatus status();

  /**
   * Stops the replica. Its log and state stay on disk. Blocks until all running callbacks have
   * returned, so it must not be called from a callback.
   */
  @Override
  void close();
}
