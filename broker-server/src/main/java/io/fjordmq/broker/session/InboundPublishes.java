package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.security.SecurityObserver.Attempt;
import io.fjordmq.inbox.PublishId;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Handles the client's publishes. A PUBACK or PUBREC is written once the {@link
 * io.fjordmq.broker.delivery.PublishRouter} has reported the outcome, in the order in which the
 * PUBLISH packets arrived (MQTT 5.0 §4.6).
 *
 * <p>Back-pressure: while too many publishes or bytes wait for their outcome, the client is not
 * read. QoS 0 messages have no acknowledgement but count as well, because their outcome is delayed
 * when their receivers are congested.
 */
final class InboundPublishes {
  private static final int PUBACK = 0x40;
  private static final int PUBREC = 0x50;

  private static final AtomicIntegerFieldUpdater<InboundPublishes> AWAKE =
      AtomicIntegerFieldUpdater.newUpdater(InboundPublishes.class, "awake");

  /** QoS 0 publishes whose outcome is pending. */
  private static final AtomicIntegerFieldUpdater<InboundPublishes> UNANSWERED =
      AtomicIntegerFieldUpdater.newUpdater(InboundPublishes.class, "unanswered");

  private final Connection connection;
  private final ReceivedQos2 receivedQos2;
  private final PublishPermission permission;
  private @Nullable ArrayDeque<PendingPublish> pending;
  private int pendingBytes;
  private int unacknowledgedQos1;
  private boolean reading;
  private boolean ended;
  private boolean parked;
  private final PublishListener atMostOnce = this::publishedAtMostOnce;

  @SuppressWarnings("UnusedVariable") // through UNANSWERED
  private volatile int unanswered;

  // Number of pending QoS 0 publishes at which a closed gate may reopen; unlimited if they did not
  // close it.
  private volatile int reopenAt = Integer.MAX_VALUE;

  /** A publish must not be acknowledged, so the connection is about to end. */
  private volatile boolean refused;

  @SuppressWarnings("UnusedVariable") // through AWAKE
  private volatile int awake;

  InboundPublishes(Connection connection, ReceivedQos2 receivedQos2) {
    this.connection = connection;
    this.receivedQos2 = receivedQos2;
    this.permission = new PublishPermission(connection);
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
    connection.observer().received(message.qos(), packetBytes);
    int identifier = packet.variableHeader().packetId();
    PublishRefusal refusal = PublishRefusal.of(message, connection);
    if (refusal != null && (message.qos() != Qos.EXACTLY_ONCE || receivedQos2.isNew(identifier))) {
      refuse(refusal, message, identifier);
      return;
    }
    if (connection.access().isUnlimited()) {
      accept(message, identifier);
    } else {
      permission.check(message, accessDecision -> acceptIf(accessDecision, message, identifier));
    }
  }

  private void acceptIf(AccessDecision accessDecision, Message message, int identifier) {
    reading = true;
    // A repeated QoS 2 publish was authorized when it first arrived.
    boolean again = message.qos() == Qos.EXACTLY_ONCE && !receivedQos2.isNew(identifier);
    if (accessDecision.allowed() || again) {
      accept(message, identifier);
    } else {
      connection.access().denied(Attempt.PUBLISH, "publish to " + message.topic(), accessDecision);
      refuse(PublishRefusal.NOT_AUTHORIZED, message, identifier);
    }
  }

  private void refuse(PublishRefusal refusal, Message message, int identifier) {
    boolean reported = message.qos() != Qos.AT_MOST_ONCE && connection.dialect().reportsOutcome();
    if (!reported) {
      connection.dropped(refusal.dropReason(), 1);
    }
    if (message.qos() == Qos.AT_MOST_ONCE) {
      return;
    }
    if (message.qos() == Qos.AT_LEAST_ONCE) {
      unacknowledgedQos1++;
      requireReceiveMaximum();
    }
    // Queued like all others, because acknowledgements leave in the order of the publishes.
    PendingPublish entry = enqueue(message, identifier, 0, false);
    entry.refusal = refusal;
    entry.published = true;
    entry.published(PublishOutcome.QUOTA_EXCEEDED);
  }

  private void accept(Message message, int identifier) {
    switch (message.qos()) {
      case AT_MOST_ONCE -> publishAtMostOnce(message);
      case AT_LEAST_ONCE -> {
        unacknowledgedQos1++;
        requireReceiveMaximum();
        publish(enqueue(message, identifier, 0, false));
      }
      case EXACTLY_ONCE -> publishExactlyOnce(message, identifier);
    }
  }

  private void publishAtMostOnce(Message message) {
    int waiting = UNANSWERED.incrementAndGet(this);
    connection.publish(message, null, atMostOnce);
    // Assumes that all have the size of this message, so sizes need not be stored.
    if (waiting > 1 && applyBackPressureAt(waiting, (long) waiting * message.payload().length)) {
      reopenAt = waiting / 2;
    }
  }

  /** On any thread. */
  private void publishedAtMostOnce(PublishOutcome outcome) {
    // The code that closes the gate checks the number again at the end of the read; a call that
    // reaches the mark after that sees the gate closed.
    if (UNANSWERED.decrementAndGet(this) == reopenAt && connection.gate().isClosed()) {
      wake();
    }
  }

  private boolean applyBackPressureAt(int messages, long bytes) {
    SessionSettings settings = connection.settings();
    boolean tooMany = messages >= settings.maxPendingPublishes();
    if (!tooMany && bytes < settings.maxPendingBytes()) {
      return false;
    }
    if (!connection.gate().isClosedBy(ReadGate.PUBLISHES)) {
      connection.reached(tooMany ? Limit.PENDING_PUBLISHES : Limit.PENDING_BYTES);
      connection.gate().close(ReadGate.PUBLISHES);
    }
    return true;
  }

  private void publishExactlyOnce(Message message, int identifier) {
    boolean inDoubt = !receivedQos2.isNew(identifier);
    long sequence = receivedQos2.begin(identifier, connection.writer());
    if (sequence == ReceivedQos2.REPEATED) {
      return;
    }
    requireReceiveMaximum();
    PendingPublish entry = enqueue(message, identifier, sequence, inDoubt);
    receivedQos2.record(entry);
  }

  private void requireReceiveMaximum() {
    int allowed = connection.settings().receiveMaximum();
    // MQTT 3 has no Receive Maximum: back-pressure applies instead.
    if (connection.request().isMqtt5() && unacknowledgedQos1 + receivedQos2.inUse() > allowed) {
      throw new ProtocolViolation(
          CloseReason.RECEIVE_MAXIMUM_EXCEEDED,
          "receive maximum exceeded: more than " + allowed + " unacknowledged publishes",
          0,
          Limit.RECEIVE_MAXIMUM);
    }
  }

  private PendingPublish enqueue(Message message, int identifier, long sequence, boolean inDoubt) {
    ArrayDeque<PendingPublish> queue = pending;
    if (queue == null) {
      queue = new ArrayDeque<>(8);
      pending = queue;
    }
    PendingPublish entry =
        new PendingPublish(this, message, identifier, sequence, inDoubt, System.nanoTime());
    queue.add(entry);
    pendingBytes += message.payload().length;
    applyBackPressureAt(queue.size(), pendingBytes);
    return entry;
  }

  void publish(PendingPublish entry) {
    if (parked || !connection.mayAct()) {
      park(entry);
      return;
    }
    entry.published = true;
    if (refused) {
      // The client repeats both in order, so this one must not be delivered before the refused one.
      // If this one had to be recorded first, it may be ahead of the refused one; then its own
      // outcome ends the connection.
      entry.published(PublishOutcome.NOT_DURABLE);
      return;
    }
    boolean repeatable = entry.sequence > 0 && receivedQos2.isDurable();
    PublishId id = repeatable ? receivedQos2.publishId(entry.sequence) : null;
    connection.publish(entry.message, id, entry);
  }

  /** This node has no valid lease, so nothing was delivered: this publish and later ones wait. */
  void park(PendingPublish entry) {
    entry.published = false;
    entry.mayBePublished();
    if (!parked) {
      parked = true;
      connection.loop().execute(() -> connection.whenServed(this::publishParked));
    }
  }

  private void publishParked() {
    parked = false;
    if (publishReady()) {
      connection.services().publishRouter().flush();
    }
    drainAndFlush();
  }

  /** The outcome of a publish is known. On any thread. */
  void settled(PendingPublish entry, PublishOutcome outcome) {
    if (mustBeResent(entry, outcome)) {
      refused = true;
    }
    wake();
  }

  /** Schedules a pass over the pending publishes. On any thread. */
  void wake() {
    if (reading && connection.loop().inEventLoop()) {
      return; // handled at the end of this read
    }
    if (AWAKE.compareAndSet(this, 0, 1)) {
      connection.loop().execute(this::drainAndFlush);
    }
  }

  private void drainAndFlush() {
    AWAKE.set(this, 0);
    if (ended) {
      return;
    }
    if (publishRecorded()) {
      connection.services().publishRouter().flush();
    }
    answerInOrder();
    connection.writer().flush();
  }

  /** All packets of a read were handled. The caller flushes the writer. */
  void endOfRead() {
    if (reading) {
      publishRecorded();
      connection.services().publishRouter().flush();
      reading = false;
      answerInOrder();
    }
  }

  private void answerInOrder() {
    PendingPublish head = pending == null ? null : pending.peek();
    while (head != null && !ended) {
      PublishOutcome outcome = head.outcome();
      if (outcome == null || !isAnswered(head, outcome)) {
        break;
      }
      removeHead(head);
      head = pending == null ? null : pending.peek();
    }
    if (connection.gate().isClosed() && !ended) {
      reopenGate(pending == null ? 0 : pending.size());
    }
  }

  private boolean isAnswered(PendingPublish head, PublishOutcome outcome) {
    if (head.answer == PendingPublish.Answer.DUE) {
      head.answer = PendingPublish.Answer.GIVEN;
      answer(head, outcome);
    }
    return head.answer == PendingPublish.Answer.GIVEN;
  }

  private void removeHead(PendingPublish head) {
    if (pending != null) {
      pending.poll();
    }
    pendingBytes -= head.message.payload().length;
  }

  /** Publishes the QoS 2 messages whose identifiers are recorded, in order. */
  private boolean publishRecorded() {
    return receivedQos2.isDurable() && publishReady();
  }

  private boolean publishReady() {
    boolean any = false;
    for (PendingPublish entry : pending == null ? List.<PendingPublish>of() : pending) {
      if (!entry.published && (parked || !entry.isRecorded())) {
        break;
      }
      if (!entry.published) {
        publish(entry);
        any = true;
      }
    }
    return any;
  }

  private void reopenGate(int size) {
    SessionSettings settings = connection.settings();
    if (size <= settings.maxPendingPublishes() / 2
        && unanswered <= reopenAt
        && pendingBytes <= settings.maxPendingBytes() / 2) {
      connection.gate().open(ReadGate.PUBLISHES);
    }
  }

  private void answer(PendingPublish entry, PublishOutcome outcome) {
    if (mustBeResent(entry, outcome)) {
      connection.fail(
          CloseReason.NOT_DURABLE, "publish not stored and not acknowledged; reconnect and resend");
      return;
    }
    Qos qos = entry.message.qos();
    if (qos == Qos.AT_MOST_ONCE) {
      return;
    }
    connection.observer().acknowledged(System.nanoTime() - entry.startNanos);
    int code = entry.refusal == null ? reasonCode(outcome) : entry.refusal.reasonCode();
    if (qos == Qos.AT_LEAST_ONCE) {
      unacknowledgedQos1--;
      connection.dialect().writeReply(connection.writer(), PUBACK, entry.packetIdentifier, code);
    } else if (entry.refusal != null) {
      connection.dialect().writeReply(connection.writer(), PUBREC, entry.packetIdentifier, code);
    } else {
      receivedQos2.published(entry, code);
    }
  }

  /**
   * Whether the connection has to end so that the client resends this publish. A reason code would
   * end a QoS 2 exchange whose message some subscribers may have received already. And if the
   * packet with the reason code were lost, the client's repetition would count as a new message.
   */
  private boolean mustBeResent(PendingPublish entry, PublishOutcome outcome) {
    return outcome == PublishOutcome.NOT_DURABLE
        || (outcome.isRefusal() && (entry.inDoubt || !connection.dialect().reportsOutcome()));
  }

  /**
   * In MQTT 3 a publish can only be refused by closing the connection, and the client would resend
   * the same message forever. It is acknowledged instead (MQTT 3.1.1 §3.3.5); the drop has been
   * counted.
   */
  private int reasonCode(PublishOutcome outcome) {
    return connection.dialect().reportsOutcome() ? PublishRefusal.reasonCode(outcome) : 0;
  }

  /** Handles a PUBREL. */
  void onRelease(int packetIdentifier) {
    receivedQos2.release(packetIdentifier);
  }

  /** The connection has ended: later outcomes are ignored. */
  void end() {
    ended = true;
    pending = null;
    if (reading) {
      connection.services().publishRouter().flush();
    }
  }
}
