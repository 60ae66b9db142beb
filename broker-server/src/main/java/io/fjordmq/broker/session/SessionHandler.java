package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.FilterPacket;
import io.fjordmq.broker.protocol.FrameBytes;
import io.fjordmq.broker.protocol.PacketCodec;
import io.fjordmq.broker.protocol.PacketFramer;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Dispatches the packets of an accepted client to the parts of its session. */
final class SessionHandler extends PacketHandler implements PacketPause.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(SessionHandler.class);

  private static final int PINGRESP = 0xD0;
  private static final String CLOSED = "the connection was closed without a DISCONNECT";

  private final Session session;

  // Packets that wait for an earlier packet, or that were left when the connection ended; all of
  // them come from one read.
  private @Nullable ArrayDeque<Object> waiting;
  private int readBytes;
  private boolean connectionLost;
  private @Nullable Reauthentication reauthentication;

  SessionHandler(Session session, PacketCodec codec) {
    super(codec);
    this.session = session;
    session.connection().pause().setListener(this);
  }

  @Override
  int protocolLevel() {
    return session.connection().request().protocolLevel();
  }

  @Override
  void onPacket(ChannelHandlerContext ctx, Object packet) {
    boolean waits =
        !session.isEnded()
            && (session.connection().pause().mustWait() || !ctx.channel().isActive());
    if (waits) {
      enqueue(packet);
    } else {
      handle(packet);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event instanceof FrameBytes frame && !session.isEnded()) {
      session.connection().throttle().chargeRead(frame.bytes(), false);
    }
    super.userEventTriggered(ctx, event);
  }

  private void enqueue(Object packet) {
    ArrayDeque<Object> queue = waiting;
    if (queue == null) {
      queue = new ArrayDeque<>(4);
      waiting = queue;
    }
    queue.add(packet);
  }

  @Override
  public void onResumed() {
    ArrayDeque<Object> queue = waiting;
    TimeSlice slice = session.connection().slices().slice();
    while (queue != null
        && !queue.isEmpty()
        && !session.connection().pause().mustWait()
        && slice.tryStep()) {
      handle(queue.remove());
    }
    finishRead();
    if (session.connection().pause().mustWait()) {
      return; // PacketPause calls this method again
    }
    if (queue != null && !queue.isEmpty()) {
      session.connection().slices().queue().add(this::runNextSlice);
    } else if (connectionLost) {
      session.end(CloseReason.CONNECTION_LOST, CLOSED);
    }
  }

  private void runNextSlice() {
    session.connection().slices().slice().begin();
    onResumed();
  }

  private void releaseWaiting() {
    if (waiting != null) {
      waiting.forEach(ReferenceCountUtil::release);
      waiting = null;
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    if (!connectionLost) {
      releaseWaiting();
    }
    if (reauthentication != null) {
      reauthentication.close();
    }
  }

  private void handle(Object packet) {
    try {
      if (session.isEnded()) {
        return;
      }
      if (packet instanceof ProtocolViolation violation) {
        throw violation;
      }
      MqttMessage message = (MqttMessage) packet;
      if (message.decoderResult().isFailure()) {
        throw undecodable(message);
      }
      int bytes = PacketFramer.packetBytes(message.fixedHeader().remainingLength());
      recordReceived(message.fixedHeader(), bytes);
      dispatch(message, bytes);
    } catch (ProtocolViolation violation) {
      if (violation.limit() != null) {
        session.connection().recordLimitReached(violation.limit());
      }
      session.end(violation.reason(), violation.detail());
    } finally {
      ReferenceCountUtil.release(packet);
    }
  }

  private void recordReceived(MqttFixedHeader header, int bytes) {
    readBytes += bytes;
    session
        .connection()
        .throttle()
        .chargeRead(bytes, header.messageType() == MqttMessageType.PUBLISH);
    session.onPacket(header.messageType().value());
  }

  private void dispatch(MqttMessage message, int bytes) {
    MqttMessageType type = message.fixedHeader().messageType();
    session.connection().observer().onPacketReceived(type.value());
    SessionParts parts = session.parts();
    switch (type) {
      case PUBLISH -> parts.inbound().onPublish((MqttPublishMessage) message, bytes);
      case PUBACK -> parts.outbound().onPubAck(identifier(message), reasonCode(message));
      case PUBREC -> parts.outbound().onPubRec(identifier(message), reasonCode(message));
      case PUBREL -> parts.inbound().onPubRel(identifier(message));
      case PUBCOMP -> parts.outbound().onPubComp(identifier(message));
      case SUBSCRIBE -> parts.subscriptions().onSubscribe((FilterPacket) message);
      case UNSUBSCRIBE -> parts.subscriptions().onUnsubscribe((FilterPacket) message);
      case PINGREQ -> session.connection().writer().beginPacket(2).writeByte(PINGRESP).writeByte(0);
      case DISCONNECT ->
          session.onDisconnect(session.connection().dialect().readDisconnect(message));
      case CONNECT ->
          throw new ProtocolViolation(
              CloseReason.PROTOCOL_ERROR, "a client must not send a second CONNECT");
      case AUTH -> reauthenticate(message);
      case CONNACK, SUBACK, UNSUBACK, PINGRESP ->
          throw new ProtocolViolation(
              CloseReason.PROTOCOL_ERROR, type + " must not be sent by a client");
    }
  }

  private void reauthenticate(MqttMessage auth) {
    if (reauthentication == null) {
      reauthentication = new Reauthentication(session.connection());
    }
    reauthentication.onAuth(auth);
  }

  private static int identifier(MqttMessage message) {
    return ((MqttMessageIdVariableHeader) message.variableHeader()).messageId();
  }

  private static int reasonCode(MqttMessage message) {
    return message.variableHeader() instanceof MqttPubReplyMessageVariableHeader header
        ? header.reasonCode() & 0xFF
        : 0;
  }

  private static ProtocolViolation undecodable(MqttMessage message) {
    String detail = String.valueOf(message.decoderResult().cause().getMessage());
    CloseReason reason =
        detail.toLowerCase(Locale.ROOT).startsWith("invalid publish topic")
            ? CloseReason.TOPIC_NAME_INVALID
            : CloseReason.MALFORMED_PACKET;
    return new ProtocolViolation(reason, detail);
  }

  /** Finishes a read after all of its packets have been handled. */
  private void finishRead() {
    session.connection().observer().onRead(readBytes);
    readBytes = 0;
    if (session.isEnded()) {
      return;
    }
    session.parts().onReadComplete();
    if (!session.isEnded()) {
      session.connection().writer().flush();
      if (!session.connection().channel().isWritable()) {
        session.outboundBacklog().onReadWhileFull();
      }
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    finishRead();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      session.onWritable();
      session.outboundBacklog().onWritable();
    }
  }

  /**
   * Handles the end of the connection. Packets that the client sent before it closed the connection
   * are still handled.
   */
  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ArrayDeque<Object> queue = waiting;
    if (queue == null || queue.isEmpty() || session.isEnded()) {
      session.end(CloseReason.CONNECTION_LOST, CLOSED);
    } else if (!session.connection().pause().mustWait()) {
      connectionLost = true;
      session.connection().gate().abandon();
      session.connection().slices().queue().add(this::runNextSlice);
    } else if (session.connection().pause().isBetweenSlices()) {
      connectionLost = true; // handling continues when the earlier packet is complete
      session.connection().gate().abandon();
    } else {
      if (isDisconnect(queue.getLast())) {
        // Handle the DISCONNECT, because it determines whether the will is published.
        handle(queue.removeLast());
      }
      session.end(CloseReason.CONNECTION_LOST, CLOSED);
    }
  }

  private static boolean isDisconnect(Object packet) {
    return packet instanceof MqttMessage message
        && message.decoderResult().isSuccess()
        && message.fixedHeader().messageType() == MqttMessageType.DISCONNECT;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (session.isEnded()) {
      ctx.close(); // the DISCONNECT itself could not be sent
    } else if (logUnlessConnectionLost(ctx, cause)) {
      session.end(CloseReason.INTERNAL_ERROR, "internal error");
    } else {
      session.end(CloseReason.CONNECTION_LOST, cause.toString());
    }
  }

  /**
   * Logs an exception unless it only means that the connection was lost. Returns whether the
   * exception was logged, which means that memory ran out or there is a bug.
   */
  static boolean logUnlessConnectionLost(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException || cause instanceof ClosedChannelException) {
      return false;
    }
    if (cause instanceof OutOfMemoryError) {
      LOG.warn(
          "Closed a connection because memory ran out: {} peer={}",
          cause.toString(),
          Peer.of(ctx.channel()));
      return true;
    }
    LOG.error(
        "Closed a connection after an unexpected exception; please report this bug peer={}",
        Peer.of(ctx.channel()),
        cause);
    return true;
  }
}
