package io.fjordmq.cluster.consensus.sim;

import java.nio.file.Path;
import java.util.List;

/** The messages between simulated replicas; named as in the Raft paper. */
sealed interface RaftMessage {
  long term();

  /**
   * @param transfer requested by the leader itself: voters must not protect that leader
   */
  record RequestVote(long term, long lastIndex, long lastTerm, boolean transfer)
      implements RaftMessage {}

  record Vote(long term, boolean granted) implements RaftMessage {}

  /**
   * @param round counts the broadcasts of this leader; echoed, so that reads know which nodes still
   *     follow
   */
  record AppendEntries(
      long term,
      long previousIndex,
      long previousTerm,
      List<SimLog.Entry> entries,
      long committed,
      long round)
      implements RaftMessage {}

  /**
   * @param index if accepted, the index up to which the log matches and is durable; otherwise the
   *     index to retry at
   */
  record AppendEntriesReply(long term, boolean accepted, long index, long round)
      implements RaftMessage {}

  record InstallSnapshot(long term, SimLog.Base base, Path copy, long round)
      implements RaftMessage {}

  record TimeoutNow(long term) implements RaftMessage {}

  record ReadIndex(long term, long id) implements RaftMessage {}

  /**
   * @param index -1 if the node is not the leader
   */
  record ReadIndexReply(long term, long id, long index) implements RaftMessage {}
}
