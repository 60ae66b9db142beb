package io.fjordmq.cluster.consensus.sim;

import java.nio.file.Path;
import java.util.List;

/** What simulated replicas say to each other; the names are those of the Raft paper. */
sealed interface RaftMessage {
  long term();

  /**
   * @param transfer asked for by the leader itself: voters must not protect that leader
   */
  record RequestVote(long term, long lastIndex, long lastTerm, boolean transfer)
      implements RaftMessage {}

  record Vote(long term, boolean granted) implements RaftMessage {}

  /**
   * @param round counts broadcasts of this leader; echoed, so that reads know who still follows
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
   * @param index accepted: the log matches up to here and is durable; else: where to try
   */
  record Appended(long term, boolean accepted, long index, long round) implements RaftMessage {}

  record InstallSnapshot(long term, SimLog.Base base, Path copy, long round)
      implements RaftMessage {}

  record TimeoutNow(long term) implements RaftMessage {}

  record ReadIndex(long term, long id) implements RaftMessage {}

  /**
   * @param index -1: not the leader
   */
  record ReadIndexReply(long term, long id, long index) implements RaftMessage {}
}
