package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.metadata.NodeRecord;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Writes that this node goes. A node that stops has often just handed the metadata to another one,
 * so nobody may know the leader for a moment; until the write succeeds, all other nodes wait for
 * this one's lease to run out. Thread-safe.
 */
final class Departure {
  private static final long RETRY_MILLIS = 50;

  private final Function<NodeRecord.State, CompletableFuture<Void>> writes;
  private final SerialTimers timers;

  /**
   * @param writes one attempt, see {@link LocalNodeRecord#write}
   */
  Departure(Function<NodeRecord.State, CompletableFuture<Void>> writes, SerialTimers timers) {
    this.writes = writes;
    this.timers = timers;
  }

  /**
   * Retries while the leader of the metadata cannot be reached; fails as the last attempt did. Only
   * after the last life of this process: a late retry would end the next life, too.
   */
  CompletableFuture<Void> write(NodeRecord.State state, long patienceMillis) {
    CompletableFuture<Void> written = new CompletableFuture<>();
    attempt(state, timers.nowMillis() + patienceMillis, written);
    return written;
  }

  private void attempt(NodeRecord.State state, long deadline, CompletableFuture<Void> written) {
    writes
        .apply(state)
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                written.complete(null);
              } else if (isTransient(failure) && timers.nowMillis() + RETRY_MILLIS < deadline) {
                timers.schedule(RETRY_MILLIS, () -> attempt(state, deadline, written));
              } else {
                written.completeExceptionally(failure);
              }
            });
  }

  /** A second write of the same changes nothing: the record's version is expected. */
  private static boolean isTransient(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof ConsensusException consensus
        && (consensus.kind() == Kind.NOT_LEADER || consensus.kind() == Kind.OUTCOME_UNKNOWN);
  }
}
