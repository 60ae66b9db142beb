package io.fjordmq.cluster.consensus;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A proposal that records how often it was completed, and how. */
public final class ProbeProposal implements Proposal {
  private final AtomicInteger completed = new AtomicInteger();
  public final CompletableFuture<Long> outcome = new CompletableFuture<>();

  private volatile boolean passedToState;

  /**
   * The state received the entry with this proposal; only the state may complete it from now on.
   */
  void markPassedToState() {
    passedToState = true;
  }

  public boolean isPassedToState() {
    return passedToState;
  }

  void applied(long index) {
    completed.incrementAndGet();
    outcome.complete(index);
  }

  @Override
  public void onFailed(ConsensusException cause) {
    completed.incrementAndGet();
    outcome.completeExceptionally(cause);
  }

  public int completions() {
    return completed.get();
  }
}
