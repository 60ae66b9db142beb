package io.fjordmq.broker.delivery;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Waits for all parts of a PUBLISH and completes with the worst of their outcomes, in the order of
 * {@link PublishOutcome}. One part is open from the start and must be closed by the creator. The
 * worst possible outcome completes the join immediately; otherwise later messages could be stored
 * before the publisher learns of the failure, and would overtake the resent message. Thread-safe.
 */
final class PublishJoin {
  private static final PublishOutcome[] BY_SEVERITY = PublishOutcome.values();

  private final PublishListener listener;
  private final DeliveryObserver observer;
  private final AtomicInteger openParts = new AtomicInteger(1);
  private final AtomicInteger worst;

  /**
   * @param bestOutcome the outcome if all parts succeed
   */
  PublishJoin(PublishOutcome bestOutcome, PublishListener listener, DeliveryObserver observer) {
    this.worst = new AtomicInteger(bestOutcome.ordinal());
    this.listener = listener;
    this.observer = observer;
  }

  /** Opens another part. */
  void openPart() {
    openParts.incrementAndGet();
  }

  /**
   * Opens another part unless the join has already completed; returns whether a part was opened.
   */
  boolean tryOpenPart() {
    for (int now = openParts.get(); now > 0; now = openParts.get()) {
      if (openParts.compareAndSet(now, now + 1)) {
        return true;
      }
    }
    return false;
  }

  /** Closes a part with its outcome. */
  void closePart(PublishOutcome outcome) {
    int before = worst.getAndAccumulate(outcome.ordinal(), Math::max);
    if (outcome == PublishOutcome.NOT_DURABLE && before != outcome.ordinal()) {
      notifyListener(outcome);
    }
    if (openParts.decrementAndGet() == 0) {
      PublishOutcome result = BY_SEVERITY[worst.get()];
      if (result != PublishOutcome.NOT_DURABLE) {
        notifyListener(result);
      }
    }
  }

  private void notifyListener(PublishOutcome result) {
    observer.onPublished(result);
    listener.onPublished(result);
  }
}
