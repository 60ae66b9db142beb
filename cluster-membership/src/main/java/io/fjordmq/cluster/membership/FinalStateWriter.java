package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Writes the final state of a stopping node to the metadata, with retries. Such a node has often
 * just transferred metadata leadership, so the leader may be unknown briefly. Until the write
 * succeeds, the other nodes wait for the lease of this one to expire. Thread-safe.
 */
final class FinalStateWriter {
  private static final long RETRY_MILLIS = 50;

  private final Function<NodeRecord.State, CompletableFuture<Void>> writer;
  private final Timers timers;

  /**
   * @param writer makes one attempt, see {@link LocalNodeRecord#write}
   */
  FinalStateWriter(Function<NodeRecord.State, CompletableFuture<Void>> writer, Timers timers) {
    this.writer = writer;
    this.timers = timers;
  }

  /**
   * Writes the state, and retries while the metadata leader cannot be reached. If the timeout
   * passes, fails with the failure of the last attempt. Must be called only after the last
   * incarnation of this process, because a late retry would also end the next incarnation.
   */
  CompletableFuture<Void> write(NodeRecord.State state, long timeoutMillis) {
    CompletableFuture<Void> written = new CompletableFuture<>();
    attempt(state, timers.nowMillis() + timeoutMillis, written);
    return written;
  }

  private void attempt(NodeRecord.State state, long deadline, CompletableFuture<Void> written) {
    writer
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

  /**
   * Returns whether to retry. A retry is safe even if the outcome is unknown, because the write
   * expects the version of the record.
   */
  private static boolean isTransient(Throwable failure) {
    return OperationException.isAny(failure, Kind.NOT_LEADER, Kind.OUTCOME_UNKNOWN);
  }
}
