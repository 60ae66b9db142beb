package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.Proposal;
import io.fjordmq.cluster.consensus.transport.StatusErrors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A proposal in flight inside jraft. Completes exactly once: either it is passed to the state
 * together with its entry, or it fails.
 */
final class PendingProposal implements Closure {
  private final Proposal proposal;
  private final OutstandingProposals outstanding;
  private final AtomicBoolean completed = new AtomicBoolean();

  PendingProposal(Proposal proposal, OutstandingProposals outstanding) {
    this.proposal = proposal;
    this.outstanding = outstanding;
  }

  /**
   * Marks the proposal as completed to pass it to the state; returns null if it has already failed.
   */
  @Nullable Proposal take() {
    if (!completed.compareAndSet(false, true)) {
      return null;
    }
    outstanding.onPassedToState(this);
    return proposal;
  }

  void fail(ConsensusException cause) {
    if (completed.compareAndSet(false, true)) {
      try {
        proposal.onFailed(cause);
      } finally {
        outstanding.onFailed(this, cause);
      }
    }
  }

  @Override
  public void run(Status status) {
    fail(StatusErrors.ofProposal(status));
  }
}
