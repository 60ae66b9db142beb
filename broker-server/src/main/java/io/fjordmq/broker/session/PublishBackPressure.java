package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Stops reading a client while too many of its publishes, or too many bytes of them, wait for their
 * outcome. QoS 0 messages have no acknowledgement but count as well, because their outcome is
 * delayed when their receivers are congested; this is their listener. Event loop only, except
 * {@link #onPublished}.
 */
final class PublishBackPressure implements PublishListener {
  /** The client that publishes. */
  interface Client {
    SessionSettings settings();

    ReadGate gate();

    /** Counts that the client reached a limit. */
    void recordLimitReached(Limit limit);
  }

  /** QoS 0 publishes whose outcome is pending. */
  private static final AtomicIntegerFieldUpdater<PublishBackPressure> PENDING_AT_MOST_ONCE =
      AtomicIntegerFieldUpdater.newUpdater(PublishBackPressure.class, "pendingAtMostOnce");

  private final Client client;
  private final PendingPublish.Owner owner;

  @SuppressWarnings("UnusedVariable") // through PENDING_AT_MOST_ONCE
  private volatile int pendingAtMostOnce;

  // Number of pending QoS 0 publishes at which a closed gate may reopen; unlimited if they did not
  // close it.
  private volatile int reopenAt = Integer.MAX_VALUE;

  /**
   * @param owner woken when the client may be read again
   */
  PublishBackPressure(Client client, PendingPublish.Owner owner) {
    this.client = client;
    this.owner = owner;
  }

  /**
   * A QoS 0 message is about to be published.
   *
   * @return number of QoS 0 messages whose outcome is pending, including this one
   */
  int beginAtMostOnce() {
    return PENDING_AT_MOST_ONCE.incrementAndGet(this);
  }

  /**
   * A QoS 0 message was published.
   *
   * @param waiting the result of {@link #beginAtMostOnce}
   */
  void closeIfAtMostOnceLimitReached(int waiting, int payloadBytes) {
    // Assumes that all have the size of this message, so sizes need not be stored.
    if (waiting > 1 && closeIfLimitReached(waiting, (long) waiting * payloadBytes)) {
      reopenAt = waiting / 2;
    }
  }

  /** The outcome of a QoS 0 message is known. On any thread. */
  @Override
  public void onPublished(PublishOutcome outcome) {
    // The code that closes the gate checks the number again at the end of the read; a call that
    // reaches the mark after that sees the gate closed.
    if (PENDING_AT_MOST_ONCE.decrementAndGet(this) == reopenAt && client.gate().isClosed()) {
      owner.wake();
    }
  }

  /** Closes the gate if this many messages or bytes reach a limit; returns whether they do. */
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
