package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.DeliveryResult;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Dialect;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.telemetry.MessageSpan;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.inbox.Attachment;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to the client. {@link #pump} moves messages from the sources to the channel while
 * the inflight window and the channel have capacity. It is called after acknowledgements ({@link
 * OutboundExchanges}), when the channel becomes writable, and when new messages arrive.
 *
 * <p>A transient session has one source, an in-memory queue. A persistent session has two: its
 * inbox for QoS 1 and 2, and an in-memory queue for QoS 0.
 */
final class OutboundPublishes {
  /** The client that receives the messages. */
  interface Client extends MemoryQueue.Client, InboxSource.Client, OutboundExchanges.Client {
    @Override
    SessionSettings settings();

    @Override
    SessionObserver observer();

    @Override
    PacketWriter writer();

    @Override
    void recordDropped(Drop drop);

    /** A message has been sent to the client. */
    void onSent(Delivery delivery, int packetIdentifier, boolean duplicate);

    /** A live message waits until it can be sent to the client. */
    void onQueued(Delivery delivery);

    EventLoop loop();

    @Override
    String tenant();

    /** The wall clock time. */
    @Override
    long nowMillis();

    /** Begins the spans of traced messages; null if there are none. */
    @Nullable MessageTracer messageTracer();

    /** Counts messages of topics. */
    TopicTraffic topicTraffic();
  }

  private final Client client;
  private final InflightWindow window;
  private final OutboundExchanges exchanges;
  private final int limit;
  private final MemoryQueue live;
  private final @Nullable InboxSource inbox;
  private final boolean connectedAsOtherUser;
  private boolean started;
  private boolean pumping;
  private long pumpedAtMillis; // 0 until the current pump needs the time
  private boolean windowFull;
  // Whether messages were acknowledged, sent or fetched since the last complete read.
  private boolean changed;

  /**
   * @param attachment the inbox attachment of a persistent session; null for a transient session
   */
  OutboundPublishes(Client client, @Nullable Attachment attachment) {
    this.client = client;
    this.limit = limit(client);
    this.window = new InflightWindow(limit, attachment == null ? 1 : attachment.firstUndelivered());
    this.exchanges = new OutboundExchanges(client, window);
    this.live = new MemoryQueue(client, this);
    this.connectedAsOtherUser = attachment != null && attachment.guest();
    this.inbox = attachment == null ? null : new InboxSource(client, this, attachment);
  }

  InflightWindow window() {
    return window;
  }

  @Nullable InboxSource inbox() {
    return inbox;
  }

  /** The messages that wait in memory. */
  MemoryQueue live() {
    return live;
  }

  /** The maximum number of messages in flight to this client. */
  static int limit(Client client) {
    return Math.min(client.settings().maxInflight(), client.request().receiveMaximum());
  }

  /** Whether messages wait because too many are in flight. */
  boolean isWindowFull() {
    return windowFull;
  }

  /** Starts sending after the CONNACK has been written. */
  void start() {
    started = true;
    if (inbox != null) {
      inbox.resendPubRels();
    }
    pump();
  }

  /** Accepts a live message, unless it must go to another member of its share. */
  DeliveryResult deliver(Delivery delivery) {
    boolean readable = mayRead(delivery);
    if (!readable && delivery.isShared()) {
      return DeliveryResult.NOT_ALLOWED;
    }
    // Messages that a store keeps may use only half of the queue; the rest is for new publishes.
    if (delivery.isKept() && !live.canAccept(delivery)) {
      return DeliveryResult.NO_CAPACITY;
    }
    if (inbox != null && delivery.qos() != Qos.AT_MOST_ONCE) {
      throw new IllegalStateException(
          "unexpected live message with " + delivery.qos() + " for a persistent session");
    }
    if (!readable) {
      client.recordDropped(Drop.of(DropReason.NOT_AUTHORIZED, delivery.message().topic()));
    } else if (started && live.isEmpty() && maySend(delivery, live)) {
      send(delivery, live);
    } else {
      client.onQueued(delivery);
      live.add(delivery);
    }
    return DeliveryResult.ACCEPTED;
  }

  /** Whether a page of retained messages can be queued without dropping other messages. */
  boolean canAcceptPage() {
    return live.canAcceptPage();
  }

  /** Sends as many messages as possible. The caller flushes. */
  void pump() {
    changed = true;
    pumpSources();
  }

  private void pumpSources() {
    if (!started || pumping) {
      return;
    }
    pumping = true;
    pumpedAtMillis = 0;
    try {
      pumpFrom(live);
      if (inbox != null && live.isEmpty()) {
        pumpFrom(inbox);
      }
    } finally {
      pumping = false;
    }
    exchanges.reportInflight();
    recordFullWindow();
  }

  /**
   * Records each time messages start to wait because of {@code maxInflight} rather than the
   * client's Receive Maximum.
   */
  private void recordFullWindow() {
    boolean waiting = inbox == null ? !live.isEmpty() : inbox.hasBuffered();
    boolean full = waiting && !window.hasCapacity();
    if (full && !windowFull && limit == client.settings().maxInflight()) {
      client.recordLimitReached(Limit.INFLIGHT);
    }
    windowFull = full;
  }

  private void pumpFrom(DeliverySource source) {
    // Capacity is checked first, so that an inbox is not read before its messages can be sent.
    while (client.writer().isWritable() && (source == live || window.hasCapacity())) {
      Delivery next = source.peek();
      if (next == null || !maySend(next, source)) {
        return;
      }
      if (mayRead(next)) {
        send(next, source);
      } else if (connectedAsOtherUser && source == inbox) {
        disconnectOtherUser();
        return;
      } else {
        drop(DropReason.NOT_AUTHORIZED, next, source);
      }
      source.remove();
    }
  }

  /**
   * Disconnects the client, because messages for the session's user must not be dropped just
   * because another user has connected.
   */
  private void disconnectOtherUser() {
    started = false;
    String detail =
        "the session belongs to another user and holds a message that this user must not read;"
            + " connect with clean start to discard the session";
    client.loop().execute(() -> client.fail(CloseReason.NOT_AUTHORIZED, detail));
  }

  /**
   * Whether the client may read the message. This is also checked for queued and stored messages,
   * because permissions can change.
   */
  private boolean mayRead(Delivery delivery) {
    ClientAccess access = client.access();
    return access.isUnrestricted() || access.mayReceive(delivery.message().topic());
  }

  private boolean maySend(Delivery delivery, DeliverySource source) {
    return client.writer().isWritable()
        && (delivery.qos() == Qos.AT_MOST_ONCE || window.canAccept(source.sequence()));
  }

  private void send(Delivery delivery, DeliverySource source) {
    Message message = delivery.message();
    long now = message.expiresAtMillis() == Message.NEVER ? 0 : client.nowMillis();
    boolean repeated = delivery.qos() != Qos.AT_MOST_ONCE && source.mayBeDuplicate();
    // A message whose delivery has started no longer expires (MQTT-4.3.3-7).
    if (!repeated && message.isExpiredAt(now)) {
      drop(DropReason.EXPIRED, delivery, source);
      return;
    }
    Dialect dialect = client.dialect();
    byte[] head = dialect.publishHead(delivery);
    int bytes = head.length + message.payload().length;
    if (bytes > dialect.maxPacketBytes()) {
      drop(DropReason.EXCEEDS_CLIENT_LIMIT, delivery, source);
      return;
    }
    MessageTracer tracer = client.messageTracer();
    MessageSpan span = tracer == null ? null : beginSpan(tracer, delivery, source);
    int identifier = 0;
    if (delivery.qos() != Qos.AT_MOST_ONCE) {
      identifier = exchanges.begin(source.sequence(), delivery);
    }
    long expiry = dialect.expirySeconds(message, now);
    client.writer().writePublish(head, identifier, repeated, expiry, message.payload());
    client.observer().onSent(delivery.qos(), bytes);
    if (span != null && delivery.qos() == Qos.AT_MOST_ONCE) {
      span.end(null);
    }
    client.onSent(delivery, identifier, repeated);
    if (DeliveryLatency.isSampled(message)) {
      DeliveryLatency.report(delivery, client);
    }
    client.topicTraffic().onSent(client.tenant(), message.topic(), delivery.qos());
    if (pumping && delivery.qos() == Qos.AT_MOST_ONCE) {
      exchanges.onSentAfterWaiting(delivery, pumpedAtMillis());
    }
  }

  /** Begins the span of a delivery, which lasts until the client has acknowledged the message. */
  private @Nullable MessageSpan beginSpan(
      MessageTracer tracer, Delivery delivery, DeliverySource source) {
    MessageSpan span =
        tracer.beginDelivery(
            delivery.message(), client.tenant(), client.clientId(), delivery.qos());
    if (span != null && delivery.qos() != Qos.AT_MOST_ONCE) {
      exchanges.trace(source.sequence(), span);
    }
    return span;
  }

  private long pumpedAtMillis() {
    if (pumpedAtMillis == 0) {
      pumpedAtMillis = client.nowMillis();
    }
    return pumpedAtMillis;
  }

  private void drop(DropReason reason, Delivery delivery, DeliverySource source) {
    client.recordDropped(Drop.of(reason, delivery.message().topic()));
    if (delivery.qos() != Qos.AT_MOST_ONCE && source == inbox) {
      window.skipTo(source.sequence() + 1);
    }
  }

  /** Handles a PUBACK. */
  void onPubAck(int packetIdentifier, int reasonCode) {
    changed = true;
    exchanges.onPubAck(packetIdentifier, reasonCode);
  }

  /** Handles a PUBREC. */
  void onPubRec(int packetIdentifier, int reasonCode) {
    changed = true;
    exchanges.onPubRec(packetIdentifier, reasonCode, inbox == null ? live : inbox);
  }

  /** Handles a PUBCOMP. */
  void onPubComp(int packetIdentifier) {
    changed = true;
    exchanges.onPubComp(packetIdentifier);
  }

  /** Sends the PUBREL after the client's PUBREC has been recorded. */
  void sendPubRel(long sequence) {
    exchanges.sendPubRel(sequence);
  }

  /**
   * Called when all packets of a read have been handled. Sends messages for which acknowledgements
   * have freed capacity.
   *
   * @return false if nothing has changed since the previous call, as with a client that only
   *     publishes
   */
  boolean onReadComplete() {
    if (!changed) {
      return false;
    }
    changed = false;
    pumpSources();
    if (inbox != null) {
      inbox.onAcknowledged();
    }
    return true;
  }

  /**
   * Called when the connection has ended.
   *
   * @return messages that must go to other members of their shares instead, oldest first
   */
  List<Delivery> end() {
    started = false;
    List<Delivery> toRedistribute = new ArrayList<>(0);
    exchanges.end(toRedistribute);
    live.end(toRedistribute);
    if (inbox != null) {
      inbox.end();
    }
    return toRedistribute;
  }
}
