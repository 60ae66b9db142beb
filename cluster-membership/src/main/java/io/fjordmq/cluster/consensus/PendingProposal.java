package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One offered entry on its way through jraft. Settles exactly once: either handed to the state
 * together with the entry, or failed. jraft alone does not promise that while a replica is closing,
 * so {@link JRaftConsensus} keeps the unsettled ones in a set and fails what is left over.
 */
final class PendingProposal implements Closure {
  private final GroupId group;
  private final Proposal proposal;
  private final Set<PendingProposal> unsettled;
  private final ConsensusObserver observer;
  private final AtomicBoolean settled = new AtomicBoolean();

  PendingProposal(
      GroupId group,
      Proposal proposal,
      Set<PendingProposal> unsettled,
      ConsensusObserver observer) {
    this.group = group;
    this.observer = observer;
    this.proposal = proposal;
    this.unsettled = unsettled;
    unsettled.add(this);
  }

  /** The proposal if it is to be handed to the state now; null if it was failed before. */
  @Nullable Proposal take() {
    unsettled.remove(this);
    return settled.compareAndSet(false, true) ? proposal : null;
  }

  void fail(ConsensusException cause) {
    if (settled.compareAndSet(false, true)) {
      try {
        observer.proposalFailed(group, cause.kind());
        proposal.failed(cause);
      } finally {
        unsettled.remove(this);
      }
    }
  }

  @Override
  public void run(Status status) {
    fail(Failures.ofProposal(status));
  }
}
