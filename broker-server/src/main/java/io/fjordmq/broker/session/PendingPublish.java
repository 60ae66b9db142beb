package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.delivery.PublishOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A PUBLISH whose outcome is pending. Its fields belong to the event loop, except the two volatile
 * ones.
 */
final class PendingPublish implements PublishListener, ReceivedQos2.Exchange {
  /** State of the acknowledgement; later publishes wait until it is {@link #SENT}. */
  enum AckState {
    DUE,
    /** The store has to remove the packet identifier before the client gets its response. */
    IN_PROGRESS,
    SENT
  }

  /** Receives the events of pending publishes. */
  interface Owner {
    /**
     * Nothing was done because this node has no valid lease: this publish waits. On its event loop.
     */
    void park(PendingPublish entry);

    /** The outcome is known. On any thread. */
    void onOutcome(PendingPublish entry, PublishOutcome outcome);

    /** An entry may be able to continue. On any thread. */
    void wake();
  }

  private final Owner owner;
  final Message message;
  final int packetIdentifier;
  final long startNanos;

  /** Position among the client's QoS 2 publishes; 0 for others. */
  final long sequence;

  /** An earlier connection of the session may have delivered it to some or all receivers. */
  final boolean inDoubt;

  /** Why it was refused; null if it was accepted. */
  @Nullable PublishRefusal refusal;

  /** True once it was passed to the router or refused. */
  boolean published;

  AckState ackState = AckState.DUE;

  // Written by any thread before it wakes the event loop, and read by the event loop after that.
  private volatile boolean recorded;
  private volatile @Nullable PublishOutcome outcome;

  PendingPublish(
      Owner owner,
      Message message,
      int packetIdentifier,
      long sequence,
      boolean inDoubt,
      long nanos) {
    this.owner = owner;
    this.message = message;
    this.packetIdentifier = packetIdentifier;
    this.sequence = sequence;
    this.inDoubt = inDoubt;
    this.startNanos = nanos;
  }

  @Override
  public void onPublished(PublishOutcome outcome) {
    if (outcome == PublishOutcome.NOT_SERVING) {
      owner.park(this); // reported synchronously, before anything was done
      return;
    }
    this.outcome = outcome;
    owner.onOutcome(this, outcome);
  }

  @Override
  public int packetIdentifier() {
    return packetIdentifier;
  }

  @Override
  public long sequence() {
    return sequence;
  }

  @Override
  public void onRecorded() {
    recorded = true;
    owner.wake();
  }

  /** Marks it as recorded, or as needing no record. On the event loop. */
  void markRecorded() {
    recorded = true;
  }

  @Override
  public void onAcknowledged() {
    ackState = AckState.SENT;
    owner.wake();
  }

  boolean isRecorded() {
    return recorded;
  }

  @Nullable PublishOutcome outcome() {
    return outcome;
  }
}
