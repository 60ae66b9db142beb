package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One offered entry on its way through jraft. Settles exactly once: either handed to the state
 * together with the entry, or failed.
 */
final class PendingProposal implements Closure {
  private final Proposal proposal;
  private final OutstandingProposals outstanding;
  private final AtomicBoolean settled = new AtomicBoolean();

  PendingProposal(Proposal proposal, OutstandingProposals outstanding) {
    this.proposal = proposal;
    this.outstanding = outstanding;
  }

  /** The proposal if it is to be handed to the state now; null if it was failed before. */
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
