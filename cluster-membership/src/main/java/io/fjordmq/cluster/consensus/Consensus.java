package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import java.util.concurrent.CompletableFuture;

/**
 * This node's replica of one Raft group.
 *
 * <p>Every method may be called from any thread and returns at once. Futures complete on a thread
 * of the host; do not block it.
 */
public interface Consensus extends AutoCloseable {

  GroupId group();

  /** What is known right now; may be stale the moment it is read. */
  Leadership leadership();

  /**
   * Offers an entry to the group. Either {@link ReplicatedState#apply} of this replica is handed
   * the entry together with this very {@code proposal} object, or {@link Proposal#failed} is
   * called, exactly once. On a leader that keeps its term, entries are applied in the order of the
   * calls.
   *
   * @param expectedTerm the term in which the caller decided; the entry is not appended in another
   *     one
   * @param entry owned by the group from now on
   */
  void propose(long expectedTerm, byte[] entry, Proposal proposal);

  /**
   * Completes with an index once this replica has applied everything that was committed when the
   * call was made: reads of local state after it are linearizable. Fails with {@link
   * ConsensusException}.
   */
  CompletableFuture<Long> readIndex();

  /**
   * Changes who holds the group; leader only. Fails with {@link ConsensusException}; the members
   * may be some between then.
   */
  CompletableFuture<Void> changeReplicas(ReplicaSet target);

  /**
   * Hands leadership to another voter; leader only. Completes once that one leads. Fails with
   * {@link ConsensusException}.
   */
  CompletableFuture<Void> transferLeadership(NodeId target);

  /**
   * Has this replica stand for election at once instead of when it misses a leader, if it is a
   * voter and its group has had no election yet. For one that has just begun.
   */
  void campaign();

  /**
   * Asks the state to make everything applied so far durable ({@link ReplicatedState#checkpoint}),
   * then lets the log drop what lies before. Completes with the index covered.
   */
  CompletableFuture<Long> checkpoint();

  /** Figures for metrics and status pages. */
  GroupStatus status();

  /**
   * Stops taking part. The replica's log and state stay on disk. Blocks until no callback runs any
   * more, so it must not be called from one.
   */
  @Override
  void close();
}
