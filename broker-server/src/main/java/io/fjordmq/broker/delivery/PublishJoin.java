package io.fjordmq.broker.delivery;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Waits for all parts of a PUBLISH and completes with the worst of their outcomes, by their order
 * in {@link PublishOutcome}. The worst outcome of all completes it immediately, since messages
 * stored before the publisher knows of it would overtake the repeated one. Thread-safe.
 */
final class PublishJoin {
  private static final PublishOutcome[] BY_SEVERITY = PublishOutcome.values();

  private final PublishListener listener;
  private final DeliveryObserver observer;
  private final AtomicInteger open = new AtomicInteger(1);
  private final AtomicInteger worst;

  /**
   * @param atBest the outcome if all parts succeed. One part is open initially: the caller closes
   *     it with {@link #part}
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

  /** Opens another part unless it has completed; returns whether it did. */
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
      notifyListener(outcome);
    }
    if (open.decrementAndGet() == 0) {
      PublishOutcome all = BY_SEVERITY[worst.get()];
      if (all != PublishOutcome.NOT_DURABLE) {
        notifyListener(all);
      }
    }
  }

  private void notifyListener(PublishOutcome all) {
    observer.onPublished(all);
    listener.onPublished(all);
  }
}
