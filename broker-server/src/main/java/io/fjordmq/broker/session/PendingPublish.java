package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.delivery.PublishOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A PUBLISH whose outcome is awaited. Its fields belong to the event loop, save the two outcomes.
 */
final class PendingPublish implements PublishListener {
  /** Those behind it wait until it is given. */
  enum Answer {
    DUE,
    /** The store has to forget something before the client hears of it. */
    UNDER_WAY,
    GIVEN
  }

  private final InboundPublishes owner;
  final Message message;
  final int packetIdentifier;
  final long startNanos;

  /** Position among the client's QoS 2 publishes; 0 for others. */
  final long sequence;

  /** An earlier connection of the session may have distributed it, to some or all. */
  final boolean inDoubt;

  /** Why it was not taken; null if it was. */
  @Nullable PublishRefusal refusal;

  /** It was handed to the publisher, or refused. */
  boolean published;

  Answer answer = Answer.DUE;

  // Written by any thread before the event loop is woken, read by the event loop after.
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
      owner.park(this); // nothing has been done for it, and this is said at once
      return;
    }
    this.outcome = outcome;
    owner.settled(this, outcome);
  }

  /** There is nothing to record: it is distributed now. On the event loop. */
  void needsNoRecord() {
    owner.publish(this);
  }

  /** Its packet identifier is recorded: it may be distributed. On any thread. */
  void recorded() {
    recorded = true;
    owner.wake();
  }

  /** It needs no record, or has it. On the event loop. */
  void mayBePublished() {
    recorded = true;
  }

  /** The store has forgotten it, and the client has its answer. On the event loop. */
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
