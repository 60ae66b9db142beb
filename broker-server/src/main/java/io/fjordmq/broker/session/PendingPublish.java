package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.delivery.PublishOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A PUBLISH whose outcome is pending. Its fields belong to the event loop, except the two volatile
 * ones.
 */
final class PendingPublish implements PublishListener {
  /** State of the acknowledgement; later publishes wait until it is {@link #GIVEN}. */
  enum Answer {
    DUE,
    /** The store has to remove the packet identifier before the client gets its answer. */
    UNDER_WAY,
    GIVEN
  }

  private final InboundPublishes owner;
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

  Answer answer = Answer.DUE;

  // Written by any thread before it wakes the event loop, and read by the event loop after that.
  private volatile boolean recorded;
  private volatile @Nullable PublishOutcome outcome;

  PendingPublish(
      InboundPublishes owner,
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
  public void published(PublishOutcome outcome) {
    if (outcome == PublishOutcome.NOT_SERVING) {
      owner.park(this); // reported synchronously, before anything was done
      return;
    }
    this.outcome = outcome;
    owner.settled(this, outcome);
  }

  /** There is nothing to record: publishes it now. On the event loop. */
  void needsNoRecord() {
    owner.publish(this);
  }

  /** Its packet identifier is recorded, so it may be published. On any thread. */
  void recorded() {
    recorded = true;
    owner.wake();
  }

  /** Marks it as recorded, or as needing no record. On the event loop. */
  void mayBePublished() {
    recorded = true;
  }

  /** The store has removed its identifier and the answer is written. On the event loop. */
  void answered() {
    answer = Answer.GIVEN;
    owner.wake();
  }

  boolean isRecorded() {
    return recorded;
  }

  @Nullable PublishOutcome outcome() {
    return outcome;
  }
}
