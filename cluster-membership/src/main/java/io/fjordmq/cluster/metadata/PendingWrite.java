package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.Proposal;
import java.util.concurrent.CompletableFuture;

/** A proposed batch that has not been applied yet. */
final class PendingWrite implements Proposal {
  private final CompletableFuture<WriteResult> result = new CompletableFuture<>();

  CompletableFuture<WriteResult> result() {
    return result;
  }

  void complete(WriteResult outcome) {
    result.complete(outcome);
  }

  @Override
  public void onFailed(ConsensusException cause) {
    result.completeExceptionally(cause);
  }
}
