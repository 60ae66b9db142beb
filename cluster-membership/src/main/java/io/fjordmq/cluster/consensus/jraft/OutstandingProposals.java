package io.fjordmq.cluster.consensus.jraft;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.GroupId;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Tracks the proposals of one replica that have neither been passed to the state nor failed. jraft
 * may lose proposals during its shutdown; {@link #failAll} fails those.
 *
 * <p>Thread-safe. Bounded: if {@link #reserve} returns false, the caller must reject the proposal.
 */
final class OutstandingProposals {
  private static final long POLL_NANOS = 100_000;

  private final GroupId group;
  private final ConsensusObserver observer;
  private final int limit;
  private final AtomicInteger count = new AtomicInteger();
  private final Set<PendingProposal> pending = ConcurrentHashMap.newKeySet();

  OutstandingProposals(GroupId group, int limit, ConsensusObserver observer) {
    this.group = group;
    this.limit = limit;
    this.observer = observer;
  }

  /** Reserves capacity for one {@link #add}; returns false if the limit is reached. */
  boolean reserve() {
    if (count.incrementAndGet() <= limit) {
      return true;
    }
    count.decrementAndGet();
    return false;
  }

  void add(PendingProposal proposal) {
    pending.add(proposal);
  }

  /** Removes a proposal that is passed to the state. */
  void onPassedToState(PendingProposal proposal) {
    remove(proposal);
  }

  void onFailed(PendingProposal proposal, ConsensusException cause) {
    observer.onProposalFailed(group, cause.kind());
    remove(proposal);
  }

  private void remove(PendingProposal proposal) {
    pending.remove(proposal);
    count.decrementAndGet();
  }

  /**
   * Fails the remaining proposals and waits, up to the timeout, until other threads have completed
   * theirs. No more proposals may be added.
   *
   * @return false if some proposals were still pending at the timeout
   */
  boolean failAll(ConsensusException cause, Duration timeout) {
    pending.forEach(proposal -> proposal.fail(cause));
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!pending.isEmpty()) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }
}
