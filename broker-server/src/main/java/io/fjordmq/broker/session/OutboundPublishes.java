package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.delivery.Delivery;
import io.fjordmq.broker.delivery.DeliveryResult;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.inbox.Attachment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to the client. {@link #pump} moves them from the sources to the channel while the
 * inflight window and the channel have capacity. Acknowledgements, a writable channel and new
 * messages all call it.
 *
 * <p>The source of a transient session is a queue in memory. A persistent session has two: its
 * inbox for QoS 1 and 2, and a queue in memory for QoS 0.
 */
final class OutboundPublishes {
  private static final int PUBREL = 0x62;
  private static final int PACKET_IDENTIFIER_NOT_FOUND = 0x92;
  private static final int FIRST_ERROR = 0x80;

  private final Connection connection;
  private final InflightWindow window;
  private final int limit;
  private final MemoryQueue live;
  private final @Nullable InboxSource inbox;
  private final boolean connectedAsOtherUser;
  private boolean started;
  private boolean pumping;
  // Unacknowledged QoS 1 messages of shares: other members get them if this connection ends.
  private @Nullable Map<Long, Delivery> sharedInflight;
  private int reportedInflight;
  private boolean windowFull;

  /**
   * @param attachment of a persistent session; null if it is transient
   */
  OutboundPublishes(Connection connection, @Nullable Attachment attachment) {
    this.connection = connection;
    SessionSettings settings = connection.settings();
    this.limit = Math.min(settings.maxInflight(), connection.request().receiveMaximum());
    this.window = new InflightWindow(limit, attachment == null ? 1 : attachment.firstUndelivered());
    this.live = new MemoryQueue(connection, this);
    this.connectedAsOtherUser = attachment != null && attachment.guest();
    this.inbox = attachment == null ? null : new InboxSource(connection, this, attachment);
  }

  InflightWindow window() {
    return window;
  }

  @Nullable InboxSource inbox() {
    return inbox;
  }

  /** Starts sending, after the CONNACK was written. */
  void start() {
    started = true;
    if (inbox != null) {
      inbox.resendReleases();
    }
    pump();
  }

  /** Accepts a live message, unless another member of its share has to get it. */
  DeliveryResult deliver(Delivery delivery) {
    boolean readable = mayRead(delivery);
    if (!readable && delivery.isShared()) {
      return DeliveryResult.NOT_ALLOWED;
    }
    // Kept messages only use half of the queue; the rest is for new publishes.
    if (delivery.isKept() && !live.hasRoomFor(delivery)) {
      return DeliveryResult.NO_ROOM;
    }
    if (inbox != null && delivery.qos() != Qos.AT_MOST_ONCE) {
      throw new IllegalStateException(
          "live message with " + delivery.qos() + " for a persistent session");
    }
    if (!readable) {
      connection.dropped(DropReason.NOT_AUTHORIZED, 1);
    } else if (started && live.isEmpty() && maySend(delivery, live)) {
      send(delivery, live);
    } else {
      live.add(delivery);
    }
    return DeliveryResult.TAKEN;
  }

  /** True if a page of retained messages can be queued without dropping other messages. */
  boolean hasRoomForPage() {
    return live.hasRoomForPage();
  }

  /** Sends as many messages as possible. The caller flushes. */
  void pump() {
    if (!started || pumping) {
      return;
    }
    pumping = true;
    try {
      pumpFrom(live);
      if (inbox != null && live.isEmpty()) {
        pumpFrom(inbox);
      }
    } finally {
      pumping = false;
    }
    reportInflight();
    countFullWindow();
  }

  /** Counts when messages start to wait because of {@code maxInflight}, not the client's limit. */
  private void countFullWindow() {
    boolean waiting = inbox == null ? !live.isEmpty() : inbox.hasBuffered();
    boolean full = waiting && !window.hasRoom();
    if (full && !windowFull && limit == connection.settings().maxInflight()) {
      connection.reached(Limit.INFLIGHT);
    }
    windowFull = full;
  }

  private void pumpFrom(DeliverySource source) {
    // Capacity is checked first, so that an inbox is not read before its messages can be sent.
    while (connection.writer().isWritable() && (source == live || window.hasRoom())) {
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

  /** Messages for the session's user must not be dropped because another user connected. */
  private void disconnectOtherUser() {
    started = false;
    String detail =
        "the session belongs to another user and holds a message that this user may not read;"
            + " connect with clean start to discard it";
    connection.loop().execute(() -> connection.fail(CloseReason.NOT_AUTHORIZED, detail));
  }

  /** Also checked for queued and stored messages, because permissions change. */
  private boolean mayRead(Delivery delivery) {
    ClientAccess access = connection.access();
    return access.isUnlimited() || access.mayReceive(delivery.message().topic());
  }

  private boolean maySend(Delivery delivery, DeliverySource source) {
    return connection.writer().isWritable()
        && (delivery.qos() == Qos.AT_MOST_ONCE || window.hasRoomFor(source.sequence()));
  }

  private void send(Delivery delivery, DeliverySource source) {
    Message message = delivery.message();
    long now = message.expiresAtMillis() == Message.NEVER ? 0 : connection.nowMillis();
    boolean repeated = delivery.qos() != Qos.AT_MOST_ONCE && source.mayBeRepeated();
    // A message whose delivery has started no longer expires (MQTT-4.3.3-7).
    if (!repeated && message.isExpiredAt(now)) {
      drop(DropReason.EXPIRED, delivery, source);
      return;
    }
    Dialect dialect = connection.dialect();
    byte[] head = dialect.head(delivery);
    int bytes = head.length + message.payload().length;
    if (bytes > dialect.maxPacketBytes()) {
      drop(DropReason.LARGER_THAN_CLIENT_TAKES, delivery, source);
      return;
    }
    int identifier = 0;
    if (delivery.qos() != Qos.AT_MOST_ONCE) {
      long sequence = source.sequence();
      identifier = InflightWindow.packetIdentifier(sequence);
      window.open(
          sequence,
          delivery.qos() == Qos.AT_LEAST_ONCE
              ? InflightWindow.AWAITING_PUBACK
              : InflightWindow.AWAITING_PUBREC);
      rememberShared(sequence, delivery);
    }
    long expiry = dialect.expirySeconds(message, now);
    connection.writer().publish(head, identifier, repeated, expiry, message.payload());
    connection.observer().sent(delivery.qos(), bytes);
  }

  private void rememberShared(long sequence, Delivery delivery) {
    if (delivery.isShared() && delivery.qos() == Qos.AT_LEAST_ONCE) {
      if (sharedInflight == null) {
        sharedInflight = new LinkedHashMap<>();
      }
      sharedInflight.put(sequence, delivery);
    }
  }

  private void drop(DropReason reason, Delivery delivery, DeliverySource source) {
    connection.dropped(reason, 1);
    if (delivery.qos() != Qos.AT_MOST_ONCE && source == inbox) {
      window.skipTo(source.sequence() + 1);
    }
  }

  /** Handles a PUBACK. */
  void onAcknowledge(int packetIdentifier, int reasonCode) {
    settle(packetIdentifier, InflightWindow.AWAITING_PUBACK, reasonCode);
  }

  /** Handles a PUBREC. */
  void onReceived(int packetIdentifier, int reasonCode) {
    if (reasonCode >= FIRST_ERROR) {
      // MQTT 5.0 §4.3.3: an error ends the exchange, and there is no PUBREL.
      settle(packetIdentifier, InflightWindow.AWAITING_PUBREC, reasonCode);
      return;
    }
    long sequence = window.sequenceOf(packetIdentifier);
    if (sequence < 0) {
      reply(PUBREL, packetIdentifier, PACKET_IDENTIFIER_NOT_FOUND);
      return;
    }
    switch (window.state(sequence)) {
      case InflightWindow.AWAITING_PUBREC -> {
        window.advance(sequence, InflightWindow.RELEASING);
        source().received(sequence);
      }
      case InflightWindow.AWAITING_PUBCOMP -> reply(PUBREL, packetIdentifier, 0);
      case InflightWindow.RELEASING -> {
        // The first PUBREC is being recorded; its PUBREL answers this one too.
      }
      default ->
          throw new ProtocolViolation(
              CloseReason.PROTOCOL_ERROR, "PUBREC for QoS 1 message " + packetIdentifier);
    }
  }

  /** Handles a PUBCOMP. */
  void onComplete(int packetIdentifier) {
    settle(packetIdentifier, InflightWindow.AWAITING_PUBCOMP, 0);
  }

  private void settle(int packetIdentifier, byte expected, int reasonCode) {
    long sequence = window.sequenceOf(packetIdentifier);
    if (sequence < 0) {
      return; // settled already: the client repeats it after a lost connection
    }
    if (window.state(sequence) != expected) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR,
          "unexpected acknowledgement of packet identifier " + packetIdentifier);
    }
    if (reasonCode >= FIRST_ERROR) {
      connection.dropped(DropReason.REFUSED_BY_CLIENT, 1);
    }
    window.settle(sequence);
    if (sharedInflight != null) {
      sharedInflight.remove(sequence);
    }
  }

  /** Sends the PUBREL, after the client's PUBREC was recorded. */
  void sendRelease(long sequence) {
    window.advance(sequence, InflightWindow.AWAITING_PUBCOMP);
    reply(PUBREL, InflightWindow.packetIdentifier(sequence), 0);
  }

  /** All packets of a read were handled: sends messages that acknowledgements made room for. */
  void endOfRead() {
    pump();
    if (inbox != null) {
      inbox.settled();
    }
  }

  private DeliverySource source() {
    return inbox == null ? live : inbox;
  }

  private void reply(int firstByte, int packetIdentifier, int reasonCode) {
    connection.dialect().writeReply(connection.writer(), firstByte, packetIdentifier, reasonCode);
  }

  private void reportInflight() {
    int change = window.inflight() - reportedInflight;
    if (change != 0) {
      reportedInflight = window.inflight();
      connection.observer().inflight(change);
    }
  }

  /**
   * The connection has ended.
   *
   * @return messages that other members of the shares have to get instead, oldest first
   */
  List<Delivery> end() {
    started = false;
    List<Delivery> leftToShares = new ArrayList<>(0);
    if (sharedInflight != null) {
      leftToShares.addAll(sharedInflight.values());
      sharedInflight = null;
    }
    live.end(leftToShares);
    if (inbox != null) {
      inbox.end();
    }
    if (reportedInflight != 0) {
      connection.observer().inflight(-reportedInflight);
      reportedInflight = 0;
    }
    return leftToShares;
  }
}
