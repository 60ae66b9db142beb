package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.telemetry.PublishSpan;
import org.jspecify.annotations.Nullable;

/**
 * A PUBLISH whose outcome is pending. Its fields must only be accessed on the event loop, except
 * for the two volatile fields.
 */
final class PendingPublish implements PublishListener, ReceivedQos2.Exchange {
  /**
   * The state of the acknowledgement. Acknowledgements of later publishes wait until this one is
   * {@link #SENT}.
   */
  enum AckState {
    DUE,
    /** The store must remove the packet identifier before the client gets the response. */
    IN_PROGRESS,
    SENT
  }

  /** Receives the events of pending publishes. */
  interface Owner {
    /**
     * Makes this publish wait until this node has a valid lease; no part of it has been processed
     * yet. Called on the event loop.
     */
    void park(PendingPublish entry);

    /** Handles the outcome of a publish. Called on any thread. */
    void onOutcome(PendingPublish entry, PublishOutcome outcome);

    /** Makes the owner check whether its entries can continue. Called on any thread. */
    void wake();
  }

  private final Owner owner;
  final Message message;
  final int packetIdentifier;
  final long startNanos;

  /** The position among the client's QoS 2 publishes; 0 for other publishes. */
  final long sequence;

  /**
   * Whether an earlier connection of the session may have delivered the message to some or all
   * receivers.
   */
  final boolean inDoubt;

  /** The reason why the publish was refused; null if it was accepted. */
  @Nullable PublishRefusal refusal;

  /** The span of the publish; null if it is not traced. */
  final @Nullable PublishSpan span;

  /** Whether the publish has been passed to the router or refused. */
  boolean published;

  AckState ackState = AckState.DUE;

  // Written by any thread before it wakes the event loop, and then read by the event loop.
  private volatile boolean recorded;
  private volatile @Nullable PublishOutcome outcome;

  PendingPublish(
      Owner owner,
      Message message,
      int packetIdentifier,
      long sequence,
      boolean inDoubt,
      long nanos,
      @Nullable PublishSpan span) {
    this.owner = owner;
    this.message = message;
    this.packetIdentifier = packetIdentifier;
    this.sequence = sequence;
    this.inDoubt = inDoubt;
    this.startNanos = nanos;
    this.span = span;
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
  public @Nullable PublishSpan span() {
    return span;
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

  /** Marks the publish as recorded, or as needing no record. Must be called on the event loop. */
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
