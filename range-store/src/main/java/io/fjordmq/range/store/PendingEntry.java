package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.Proposal;
import io.fjordmq.range.RangeResult;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An entry that this leader proposed, and the callback that waits for its outcome. */
final class PendingEntry implements Proposal {
  private final Consumer<RangeResult> reply;
  private final long proposedNanos;

  PendingEntry(Consumer<RangeResult> reply, long proposedNanos) {
    this.reply = reply;
    this.proposedNanos = proposedNanos;
  }

  long proposedNanos() {
    return proposedNanos;
  }

  void complete(RangeResult result) {
    reply.accept(result);
  }

  @Override
  public void onFailed(ConsensusException cause) {
    reply.accept(resultOf(cause));
  }

  private static RangeResult resultOf(ConsensusException cause) {
    String reason = String.valueOf(cause.getMessage());
    return switch (cause.kind()) {
      case NOT_LEADER -> new RangeResult.NotLeader(null);
      case BUSY -> new RangeResult.Busy(reason);
      case OUTCOME_UNKNOWN -> new RangeResult.OutcomeUnknown(reason);
      case CLOSED -> new RangeResult.Unavailable(reason);
      case FAILED -> new RangeResult.StorageFailed(reason);
    };
  }

  /** Returns the pending entry of a committed entry; null if another node proposed it. */
  static @Nullable PendingEntry of(@Nullable Proposal proposal) {
    return proposal instanceof PendingEntry pending ? pending : null;
  }
}
