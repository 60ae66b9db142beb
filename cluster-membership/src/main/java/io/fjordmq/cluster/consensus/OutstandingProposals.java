package io.fjordmq.cluster.consensus;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The proposals of one replica that are neither handed to the state nor failed. jraft may lose one
 * while it shuts down; what is left here then is failed by {@link #failAll}.
 *
 * <p>Thread-safe. Bounded: who was given no place must refuse the proposal.
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

  /** Takes a place for {@link #add}; false if none is free. */
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

  /** The state has it now. */
  void handed(PendingProposal proposal) {
    remove(proposal);
  }

  void failed(PendingProposal proposal, ConsensusException cause) {
    observer.proposalFailed(group, cause.kind());
    remove(proposal);
  }

  private void remove(PendingProposal proposal) {
    pending.remove(proposal);
    count.decrementAndGet();
  }

  /**
   * Fails what is left and waits, for a limited time, until other threads have told theirs. Nothing
   * is added any more.
   *
   * @return false if some have not been told by then
   */
  boolean failAll(ConsensusException cause, Duration patience) {
    pending.forEach(proposal -> proposal.fail(cause));
    long deadline = System.nanoTime() + patience.toNanos();
    while (!pending.isEmpty()) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }
}
