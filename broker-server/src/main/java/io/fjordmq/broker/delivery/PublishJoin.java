package io.fjordmq.broker.delivery;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Waits for all parts of a PUBLISH and answers with the worst of their outcomes, which is what
 * their order in {@link PublishOutcome} says. The worst there is need not wait: until its publisher
 * knows of it, later messages would be stored that have to come after this one. Thread-safe.
 */
final class PublishJoin {
  private static final PublishOutcome[] BY_BADNESS = PublishOutcome.values();

  private final PublishListener listener;
  private final DeliveryObserver observer;
  private final AtomicInteger open = new AtomicInteger(1);
  private final AtomicInteger worst;

  /**
   * @param atBest the outcome if all goes well. One part is open: the caller, see {@link #part}
   */
  PublishJoin(PublishOutcome atBest, PublishListener listener, DeliveryObserver observer) {
    this.worst = new AtomicInteger(atBest.ordinal());
    this.listener = listener;
    this.observer = observer;
  }

  /** Opens another part. */
  void open() {
    open.incrementAndGet();
  }

  /** Opens another part unless all are closed and the answer is given; returns whether it did. */
  boolean tryOpen() {
    for (int now = open.get(); now > 0; now = open.get()) {
      if (open.compareAndSet(now, now + 1)) {
        return true;
      }
    }
    return false;
  }

  /** Closes a part. */
  void part(PublishOutcome outcome) {
    int before = worst.getAndAccumulate(outcome.ordinal(), Math::max);
    if (outcome == PublishOutcome.NOT_DURABLE && before != outcome.ordinal()) {
      tell(outcome);
    }
    if (open.decrementAndGet() == 0) {
      PublishOutcome all = BY_BADNESS[worst.get()];
      if (all != PublishOutcome.NOT_DURABLE) {
        tell(all);
      }
    }
  }

  private void tell(PublishOutcome all) {
    observer.published(all);
    listener.published(all);
  }
}
