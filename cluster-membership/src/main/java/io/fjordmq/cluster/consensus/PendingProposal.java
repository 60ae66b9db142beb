package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A proposal in flight inside jraft. Settles exactly once: either it is passed to the state
 * together with its entry, or it fails.
 */
final class PendingProposal implements Closure {
  private final Proposal proposal;
  private final OutstandingProposals outstanding;
  private final AtomicBoolean settled = new AtomicBoolean();

  PendingProposal(Proposal proposal, OutstandingProposals outstanding) {
    this.proposal = proposal;
    this.outstanding = outstanding;
  }

  /** Settles the proposal to pass it to the state; returns null if it has already failed. */
  @Nullable Proposal take() {
    if (!settled.compareAndSet(false, true)) {
      return null;
    }
    outstanding.handed(this);
    return proposal;
  }

  void fail(ConsensusException cause) {
    if (settled.compareAndSet(false, true)) {
      try {
        proposal.failed(cause);
      } finally {
        outstanding.failed(this, cause);
      }
    }
  }

  @Override
  public void run(Status status) {
    fail(StatusErrors.ofProposal(status));
  }
}
