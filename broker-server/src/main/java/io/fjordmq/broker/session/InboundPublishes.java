package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.delivery.TracedPublish;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.security.SecurityObserver.Attempt;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.broker.telemetry.PublishSpan;
import io.fjordmq.inbox.PublishId;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Handles the client's publishes. A PUBACK or PUBREC is written once the {@link
 * io.fjordmq.broker.delivery.PublishRouter} has reported the outcome, in the order in which the
 * PUBLISH packets arrived (MQTT 5.0 §4.6). While too many publishes are waiting for their outcome,
 * the broker stops reading from the client ({@link PublishBackPressure}).
 */
final class InboundPublishes implements PendingPublish.Owner, PublishQueue.EntryPublisher {
  private static final int PUBACK = 0x40;
  private static final int PUBREC = 0x50;

  private static final AtomicIntegerFieldUpdater<InboundPublishes> DRAIN_SCHEDULED =
      AtomicIntegerFieldUpdater.newUpdater(InboundPublishes.class, "drainScheduled");

  private final Connection connection;
  private final ReceivedQos2 receivedQos2;
  private final PublishPermission permission;
  private final PublishBackPressure backPressure;
  private @Nullable PublishQueue pending; // null before the first QoS 1 or 2 publish
  private int unacknowledgedQos1;
  private boolean reading;
  private boolean ended;
  private boolean parked;

  /** Whether the connection is about to end because a publish must not be acknowledged. */
  private volatile boolean refused;

  @SuppressWarnings("UnusedVariable") // accessed through DRAIN_SCHEDULED
  private volatile int drainScheduled;

  InboundPublishes(Connection connection, ReceivedQos2 receivedQos2) {
    this.connection = connection;
    this.receivedQos2 = receivedQos2;
    this.permission = new PublishPermission(connection);
    this.backPressure = new PublishBackPressure(connection, this);
  }

  /**
   * Handles a PUBLISH.
   *
   * @throws ProtocolViolation if the packet violates the protocol
   */
  void onPublish(MqttPublishMessage packet, int packetBytes) {
    reading = true;
    Message message =
        connection.dialect().readPublish(packet, connection.clientId(), connection.nowMillis());
    connection.observer().onReceived(message.qos(), packetBytes);
    int identifier = packet.variableHeader().packetId();
    MessageTracer tracer = connection.messageTracer();
    PublishSpan span =
        tracer == null
            ? null
            : tracer.beginPublish(
                message, connection.tenant(), connection.clientId(), MessageTracer.Origin.CLIENT);
    PublishRefusal refusal = PublishRefusal.of(message, connection);
    if (refusal != null && (message.qos() != Qos.EXACTLY_ONCE || receivedQos2.isNew(identifier))) {
      refuse(refusal, message, identifier, span);
      return;
    }
    if (connection.access().isUnrestricted()) {
      accept(message, identifier, span);
    } else {
      permission.check(
          message, accessDecision -> acceptIfAllowed(accessDecision, message, identifier, span));
    }
  }

  private void acceptIfAllowed(
      AccessDecision accessDecision, Message message, int identifier, @Nullable PublishSpan span) {
    reading = true;
    // A resent QoS 2 publish was authorized when it first arrived.
    boolean again = message.qos() == Qos.EXACTLY_ONCE && !receivedQos2.isNew(identifier);
    if (accessDecision.allowed() || again) {
      accept(message, identifier, span);
    } else {
      connection.access().denied(Attempt.PUBLISH, "publish to " + message.topic(), accessDecision);
      connection.history().recordPublishDenied(message.topic(), accessDecision.denial());
      refuse(PublishRefusal.NOT_AUTHORIZED, message, identifier, span);
    }
  }

  private void refuse(
      PublishRefusal refusal, Message message, int identifier, @Nullable PublishSpan span) {
    connection.topicTraffic().onDropped(connection.tenant(), message.topic(), 1);
    boolean reported = message.qos() != Qos.AT_MOST_ONCE && connection.dialect().reportsOutcome();
    if (!reported) {
      connection.countDropped(refusal.dropReason(), 1);
    }
    if (refusal != PublishRefusal.NOT_AUTHORIZED) { // a denial has already been recorded
      connection
          .history()
          .recordPublishDropped(refusal.dropReason(), message.topic(), refusal.limit());
    }
    if (message.qos() == Qos.AT_MOST_ONCE) {
      end(span, refusal.dropReason().label());
      return;
    }
    if (message.qos() == Qos.AT_LEAST_ONCE) {
      unacknowledgedQos1++;
      requireReceiveMaximum();
    }
    // Queued like all other publishes, because acknowledgements are sent in the order of the
    // publishes.
    PendingPublish entry = enqueue(message, identifier, 0, false, span);
    entry.refusal = refusal;
    entry.published = true;
    entry.onPublished(PublishOutcome.QUOTA_EXCEEDED);
  }

  private void accept(Message message, int identifier, @Nullable PublishSpan span) {
    switch (message.qos()) {
      case AT_MOST_ONCE -> publishAtMostOnce(message, span);
      case AT_LEAST_ONCE -> {
        unacknowledgedQos1++;
        requireReceiveMaximum();
        publish(enqueue(message, identifier, 0, false, span));
      }
      case EXACTLY_ONCE -> publishExactlyOnce(message, identifier, span);
    }
  }

  private void publishAtMostOnce(Message message, @Nullable PublishSpan span) {
    int waiting = backPressure.beginAtMostOnce();
    connection.publish(
        message, null, span == null ? backPressure : new TracedPublish(backPressure, span));
    backPressure.closeIfAtMostOnceLimitReached(waiting, message.payload().length);
  }

  private void publishExactlyOnce(Message message, int identifier, @Nullable PublishSpan span) {
    boolean inDoubt = !receivedQos2.isNew(identifier);
    long sequence = receivedQos2.begin(identifier, connection.writer());
    if (sequence == ReceivedQos2.REPEATED) {
      end(span, null);
      return;
    }
    requireReceiveMaximum();
    PendingPublish entry = enqueue(message, identifier, sequence, inDoubt, span);
    if (receivedQos2.isDurable()) {
      receivedQos2.record(entry);
    } else {
      publish(entry);
    }
  }

  private void requireReceiveMaximum() {
    int allowed = connection.settings().receiveMaximum();
    // MQTT 3 has no Receive Maximum; back-pressure applies instead.
    if (unacknowledgedQos1 + receivedQos2.inUse() > allowed && connection.request().isMqtt5()) {
      throw new ProtocolViolation(
          CloseReason.RECEIVE_MAXIMUM_EXCEEDED,
          "receive maximum exceeded: more than " + allowed + " unacknowledged publishes",
          0,
          Limit.RECEIVE_MAXIMUM);
    }
  }

  private PendingPublish enqueue(
      Message message, int identifier, long sequence, boolean inDoubt, @Nullable PublishSpan span) {
    PublishQueue queue = pending;
    if (queue == null) {
      queue = new PublishQueue();
      pending = queue;
    }
    PendingPublish entry =
        new PendingPublish(this, message, identifier, sequence, inDoubt, System.nanoTime(), span);
    queue.add(entry);
    backPressure.closeIfLimitReached(queue.size(), queue.bytes());
    return entry;
  }

  @Override
  public void publish(PendingPublish entry) {
    if (parked || !connection.pause().pauseUnlessLeaseValid()) {
      park(entry);
      return;
    }
    entry.published = true;
    if (refused) {
      // The client will resend this publish and the refused one in their original order, so this
      // one must not be delivered now. If it is ahead of the refused one because it had to be
      // recorded first, its own outcome ends the connection.
      entry.onPublished(PublishOutcome.NOT_DURABLE);
      return;
    }
    boolean repeatable = entry.sequence > 0 && receivedQos2.isDurable();
    PublishId id = repeatable ? receivedQos2.publishId(entry.sequence) : null;
    connection.publish(entry.message, id, entry);
  }

  @Override
  public void park(PendingPublish entry) {
    entry.published = false;
    entry.markRecorded();
    if (!parked) {
      parked = true;
      connection.loop().execute(() -> connection.pause().whenLeaseValid(this::publishParked));
    }
  }

  private void publishParked() {
    parked = false;
    if (publishReady()) {
      connection.services().publishRouter().flush();
    }
    drainAndFlush();
  }

  @Override
  public void onOutcome(PendingPublish entry, PublishOutcome outcome) {
    if (mustBeResent(entry, outcome)) {
      refused = true;
    }
    wake();
  }

  /** Schedules another look at the pending publishes. Can be called on any thread. */
  @Override
  public void wake() {
    if (reading && connection.loop().inEventLoop()) {
      return; // pending publishes are handled at the end of this read
    }
    if (DRAIN_SCHEDULED.compareAndSet(this, 0, 1)) {
      connection.loop().execute(this::drainAndFlush);
    }
  }

  private void drainAndFlush() {
    DRAIN_SCHEDULED.set(this, 0);
    if (ended) {
      return;
    }
    if (publishRecorded()) {
      connection.services().publishRouter().flush();
    }
    acknowledgeInOrder();
    connection.writer().flush();
  }

  /** Called when all packets of a read have been handled. The caller flushes the writer. */
  void onReadComplete() {
    if (reading) {
      publishRecorded();
      connection.services().publishRouter().flush();
      reading = false;
      acknowledgeInOrder();
    }
  }

  private void acknowledgeInOrder() {
    PublishQueue queue = pending;
    PendingPublish head = queue == null ? null : queue.head();
    while (queue != null && head != null && !ended) {
      PublishOutcome outcome = head.outcome();
      if (outcome == null || !tryAcknowledge(head, outcome) || ended) {
        break; // acknowledging may have ended the connection
      }
      queue.removeHead();
      head = queue.head();
    }
    if (connection.gate().isClosed() && !ended) {
      backPressure.openIfHalfEmpty(
          queue == null ? 0 : queue.size(), queue == null ? 0 : queue.bytes());
    }
  }

  private boolean tryAcknowledge(PendingPublish head, PublishOutcome outcome) {
    if (head.ackState == PendingPublish.AckState.DUE) {
      head.ackState = PendingPublish.AckState.SENT;
      acknowledge(head, outcome);
    }
    return head.ackState == PendingPublish.AckState.SENT;
  }

  /** Publishes the QoS 2 messages whose identifiers are recorded, in order. */
  private boolean publishRecorded() {
    return receivedQos2.isDurable() && publishReady();
  }

  private boolean publishReady() {
    return pending != null && pending.publishReady(this);
  }

  @Override
  public boolean isParked() {
    return parked;
  }

  private static void end(@Nullable PublishSpan span, @Nullable String error) {
    if (span != null) {
      span.end(error);
    }
  }

  private void acknowledge(PendingPublish entry, PublishOutcome outcome) {
    PublishRefusal refusal = entry.refusal;
    end(entry.span, refusal == null ? outcome.error() : refusal.dropReason().label());
    if (mustBeResent(entry, outcome)) {
      connection.fail(
          CloseReason.NOT_DURABLE,
          "the publish could not be stored and is not acknowledged; reconnect and resend it");
      return;
    }
    Qos qos = entry.message.qos();
    if (qos == Qos.AT_MOST_ONCE) {
      return;
    }
    connection.observer().onAcknowledged(System.nanoTime() - entry.startNanos);
    int code = refusal == null ? reasonCode(outcome) : refusal.reasonCode();
    if (refusal == null && outcome != PublishOutcome.ACCEPTED) {
      connection.history().recordOutcome(outcome, entry.message.topic());
    }
    if (qos == Qos.AT_LEAST_ONCE) {
      unacknowledgedQos1--;
      connection.dialect().writeReply(connection.writer(), PUBACK, entry.packetIdentifier, code);
    } else if (refusal != null) {
      connection.dialect().writeReply(connection.writer(), PUBREC, entry.packetIdentifier, code);
    } else {
      entry.ackState = PendingPublish.AckState.IN_PROGRESS;
      if (receivedQos2.onPublished(entry, code)) {
        entry.ackState = PendingPublish.AckState.SENT;
      }
    }
  }

  /**
   * Whether the connection must end so that the client resends this publish. A reason code would
   * end a QoS 2 exchange although some subscribers may already have received the message. In
   * addition, if the packet with the reason code were lost, the resent publish would count as a new
   * message.
   */
  private boolean mustBeResent(PendingPublish entry, PublishOutcome outcome) {
    return outcome == PublishOutcome.NOT_DURABLE
        || (outcome.isRefusal() && (entry.inDoubt || !connection.dialect().reportsOutcome()));
  }

  /**
   * Returns the reason code for an outcome. In MQTT 3, a publish can only be refused by closing the
   * connection, after which the client would resend the same message forever. The publish is
   * therefore acknowledged (MQTT 3.1.1 §3.3.5); the drop has already been counted.
   */
  private int reasonCode(PublishOutcome outcome) {
    return connection.dialect().reportsOutcome() ? PublishRefusal.reasonCode(outcome) : 0;
  }

  /** The number of QoS 2 publishes that wait for a PUBREL. */
  int awaitingPubRel() {
    return receivedQos2.inUse();
  }

  /** Handles a PUBREL. */
  void onPubRel(int packetIdentifier) {
    receivedQos2.onPubRel(packetIdentifier);
  }

  /** Called when the connection has ended. Later outcomes are ignored. */
  void end() {
    ended = true;
    if (pending != null && connection.messageTracer() != null) {
      pending.endSpans("connection_closed");
    }
    pending = null;
    if (reading) {
      connection.services().publishRouter().flush();
    }
  }
}
