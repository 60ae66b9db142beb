package io.fjordmq.cluster.consensus;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A proposal that remembers how often and what it was told. */
final class Probe implements Proposal {
  private final AtomicInteger told = new AtomicInteger();
  final CompletableFuture<Long> outcome = new CompletableFuture<>();

  private volatile boolean handed;

  /** The state was given the entry with this proposal; nobody else may end it from now on. */
  void handed() {
    handed = true;
  }

  boolean isHanded() {
    return handed;
  }

  void applied(long index) {
    told.incrementAndGet();
    outcome.complete(index);
  }

  @Override
  public void failed(ConsensusException cause) {
    told.incrementAndGet();
    outcome.completeExceptionally(cause);
  }

  int timesTold() {
    return told.get();
  }
}
