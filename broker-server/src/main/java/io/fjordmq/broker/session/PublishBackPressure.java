package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Stops reading from a client while too many of its publishes, or too many of their bytes, are
 * waiting for their outcome. QoS 0 messages have no acknowledgement but also count, because their
 * outcome is delayed while their receivers are congested; this class is their listener. Only used
 * on the event loop, except for {@link #onPublished}.
 */
final class PublishBackPressure implements PublishListener {
  /** The client that publishes. */
  interface Client {
    SessionSettings settings();

    ReadGate gate();

    /** Counts that the client reached a limit. */
    void recordLimitReached(Limit limit);
  }

  /** The number of QoS 0 publishes whose outcome is pending. */
  private static final AtomicIntegerFieldUpdater<PublishBackPressure> PENDING_AT_MOST_ONCE =
      AtomicIntegerFieldUpdater.newUpdater(PublishBackPressure.class, "pendingAtMostOnce");

  private final Client client;
  private final PendingPublish.Owner owner;

  @SuppressWarnings("UnusedVariable") // accessed through PENDING_AT_MOST_ONCE
  private volatile int pendingAtMostOnce;

  // The number of pending QoS 0 publishes at which a closed gate may reopen; unlimited if they did
  // not close the gate.
  private volatile int reopenAt = Integer.MAX_VALUE;

  /**
   * @param owner the owner, which is woken when reading from the client may resume
   */
  PublishBackPressure(Client client, PendingPublish.Owner owner) {
    this.client = client;
    this.owner = owner;
  }

  /**
   * Counts a QoS 0 message that is about to be published.
   *
   * @return the number of QoS 0 messages whose outcome is pending, including this one
   */
  int beginAtMostOnce() {
    return PENDING_AT_MOST_ONCE.incrementAndGet(this);
  }

  /**
   * Closes the gate if the pending QoS 0 messages reach a limit. Called after a QoS 0 message has
   * been published.
   *
   * @param waiting the result of {@link #beginAtMostOnce}
   */
  void closeIfAtMostOnceLimitReached(int waiting, int payloadBytes) {
    // Assumes that all pending messages have the size of this one, so that sizes need not be
    // stored.
    if (waiting > 1 && closeIfLimitReached(waiting, (long) waiting * payloadBytes)) {
      reopenAt = waiting / 2;
    }
  }

  /** Handles the outcome of a QoS 0 message. Called on any thread. */
  @Override
  public void onPublished(PublishOutcome outcome) {
    // The event loop checks the number again at the end of a read that closes the gate. A call that
    // reaches reopenAt after that check sees the closed gate.
    if (PENDING_AT_MOST_ONCE.decrementAndGet(this) == reopenAt && client.gate().isClosed()) {
      owner.wake();
    }
  }

  /**
   * Closes the gate if the given number of messages or bytes reaches a limit; returns whether it
   * does.
   */
  boolean closeIfLimitReached(int messages, long bytes) {
    SessionSettings settings = client.settings();
    boolean tooMany = messages >= settings.maxPendingPublishes();
    if (!tooMany && bytes < settings.maxPendingBytes()) {
      return false;
    }
    if (!client.gate().isClosedBy(ReadGate.PUBLISHES)) {
      client.recordLimitReached(tooMany ? Limit.PENDING_PUBLISHES : Limit.PENDING_BYTES);
      client.gate().close(ReadGate.PUBLISHES);
    }
    return true;
  }

  /** Opens the gate if the pending publishes have dropped to half of the limits. */
  void openIfHalfEmpty(int messages, int bytes) {
    SessionSettings settings = client.settings();
    if (messages <= settings.maxPendingPublishes() / 2
        && pendingAtMostOnce <= reopenAt
        && bytes <= settings.maxPendingBytes() / 2) {
      client.gate().open(ReadGate.PUBLISHES);
    }
  }
}
