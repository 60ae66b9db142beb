package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.Security;
import io.fjordmq.inbox.Attachment;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles a connection until its CONNACK. The steps, in order: await a well-formed CONNECT,
 * authenticate the client ({@link Security}), register the session (an older connection of the
 * client releases its state first), attach the inbox, restore subscriptions, send CONNACK. Then a
 * {@link SessionHandler} takes over.
 *
 * <p>While a step is in progress, the client is not read. Packets that arrived along with the
 * CONNECT (MQTT 5.0 §3.1.4 allows them) are queued here; there are never more than one read
 * returns.
 */
final class ConnectHandler extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectHandler.class);

  private static final String NOT_SERVING = "not serving clients: ";

  private final Sessions sessions;
  private final SessionServices services;
  private final ReadSlices slices;
  private final ArrayDeque<Object> early = new ArrayDeque<>(2);
  private @Nullable ReadGate gate;
  private @Nullable ConnectAuthentication authentication;
  private TimeoutWheel.@Nullable Timeout timeout;
  private @Nullable Session session;
  private boolean refused;
  // What a refusal needs to know about the client.
  private int protocolLevel;
  private int maxPacketBytes = SessionSettings.LARGEST_PACKET;

  ConnectHandler(Sessions sessions, ReadSlices slices) {
    this.sessions = sessions;
    this.services = sessions.services();
    this.slices = slices;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    awaitPacket(ctx, "no CONNECT within the connect timeout");
  }

  private void awaitPacket(ChannelHandlerContext ctx, String timeoutDetail) {
    timeout =
        new TimeoutWheel.Timeout() {
          @Override
          long due() {
            refuse(ctx, CloseReason.CONNECT_TIMEOUT, timeoutDetail);
            return 0;
          }
        };
    long millis = services.settings().connectTimeout().toMillis();
    sessions.wheel(ctx.channel().eventLoop()).arm(timeout, TimeoutWheel.ticks(millis));
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    cancelTimeout();
    if (authentication != null) {
      authentication.close();
    }
    early.forEach(ReferenceCountUtil::release);
    early.clear();
  }

  private void cancelTimeout() {
    if (timeout != null) {
      timeout.cancel();
      timeout = null;
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object packet) {
    if (refused || (session != null && session.isEnded())) {
      ReferenceCountUtil.release(packet);
    } else if (gate != null && (authentication == null || !authentication.isWaitingForClient())) {
      early.add(packet);
    } else {
      try {
        onPacket(ctx, packet);
      } catch (ProtocolViolation violation) {
        refuse(ctx, violation, "");
      } finally {
        ReferenceCountUtil.release(packet);
      }
    }
  }

  private void onPacket(ChannelHandlerContext ctx, Object packet) {
    if (packet instanceof ProtocolViolation violation) {
      throw violation;
    }
    MqttMessage message = (MqttMessage) packet;
    if (message.decoderResult().isFailure()) {
      throw ConnectReader.undecodable(ctx.channel(), message);
    }
    services.observer().packetReceived(message.fixedHeader().messageType().value());
    cancelTimeout();
    if (authentication != null && gate != null) {
      gate.close(ReadGate.CONNECT);
      authentication.onPacket(message);
    } else {
      onConnect(ctx, (MqttConnectMessage) message); // the framer rejects any other first packet
    }
  }

  private void onConnect(ChannelHandlerContext ctx, MqttConnectMessage connect) {
    protocolLevel = connect.variableHeader().version();
    int accepted = ConnectReader.maxPacketBytes(connect);
    maxPacketBytes = accepted == 0 ? SessionSettings.LARGEST_PACKET : accepted;
    if (sessions.isShuttingDown()) {
      throw new ProtocolViolation(CloseReason.SERVER_UNAVAILABLE, "server shutting down");
    }
    if (sessions.isLeaving()) {
      throw new ProtocolViolation(CloseReason.USE_ANOTHER_SERVER, Sessions.LEAVING);
    }
    requireServing();
    if (services.overload().isOverloaded()) {
      services.observer().refusedAsOverloaded(RejectedWork.CONNECT);
      throw new ProtocolViolation(CloseReason.SERVER_BUSY, "server overloaded");
    }
    ConnectRequest request =
        new ConnectReader(services.settings(), OversizedWillTopic.take(ctx.channel()))
            .read(connect);
    ReadGate closed = slices.gate();
    closed.close(ReadGate.CONNECT);
    gate = closed;
    ConnectAuthentication asking =
        new ConnectAuthentication(
            ctx.channel(), request, services.security(), new Waiting(ctx, request, closed));
    authentication = asking;
    asking.begin();
  }

  /**
   * @throws ProtocolViolation if this node may miss other connections of the client, or cannot
   *     notify other nodes
   */
  private void requireServing() {
    String reason = services.servingState().refusedBecause();
    if (reason != null) {
      services.observer().refusedAsNotServing(RejectedWork.CONNECT);
      throw new ProtocolViolation(CloseReason.SERVER_UNAVAILABLE, NOT_SERVING + reason);
    }
    if (!services.registry().hasRoom()) {
      throw new ProtocolViolation(CloseReason.SERVER_BUSY, "queue to another node is full");
    }
  }

  /** Continues the CONNECT once the client is authenticated. */
  private final class Waiting implements ConnectAuthentication.Listener {
    private final ChannelHandlerContext ctx;
    private final ConnectRequest request;
    private final ReadGate closed;

    private Waiting(ChannelHandlerContext ctx, ConnectRequest request, ReadGate closed) {
      this.ctx = ctx;
      this.request = request;
      this.closed = closed;
    }

    @Override
    public void onChallenge() {
      if (!isGone()) {
        awaitPacket(ctx, "no AUTH within the connect timeout");
        closed.open(ReadGate.CONNECT);
        if (!early.isEmpty()) {
          channelRead(ctx, early.remove());
        }
      }
    }

    @Override
    public void admitted(ClientAccess access, byte[] data) {
      if (!isGone()) {
        begin(ctx, request, access, data);
      }
    }

    @Override
    public void refused(CloseReason reason, String detail) {
      if (!isGone()) {
        refuse(ctx, reason, detail);
      }
    }

    private boolean isGone() {
      return refused || !ctx.channel().isActive();
    }
  }

  private void begin(
      ChannelHandlerContext ctx, ConnectRequest request, ClientAccess access, byte[] data) {
    Session connecting;
    try {
      connecting = admit(ctx, request.authenticated(data), access);
    } catch (ProtocolViolation violation) {
      refuse(ctx, violation, access.client().tenant());
      return;
    }
    session = connecting;
    endIfTooLate(connecting);
    CompletableFuture<Void> olderGone = connecting.registration().olderGone();
    if (olderGone.isDone()) {
      attachInbox(ctx, connecting);
    } else {
      // In a separate task: thousands may wait for each other and have ended by then.
      olderGone.thenRun(
          () -> ctx.channel().eventLoop().execute(() -> attachInbox(ctx, connecting)));
    }
  }

  /**
   * The node may have stopped serving while the client was being authenticated. The code that then
   * ends all sessions only finds registered ones, so this check follows the registration.
   */
  private void endIfTooLate(Session connecting) {
    String notServing = services.servingState().refusedBecause();
    if (sessions.isShuttingDown()) {
      Sessions.endForShutDown(connecting);
    } else if (notServing != null) {
      services.observer().refusedAsNotServing(RejectedWork.CONNECT);
      connecting.end(CloseReason.SERVER_UNAVAILABLE, NOT_SERVING + notServing);
    }
  }

  /**
   * The client is authenticated: from here on the limits of its tenant apply.
   *
   * @throws ProtocolViolation if the client exceeds one of them, or another user's connection uses
   *     its client identifier
   */
  private Session admit(ChannelHandlerContext ctx, ConnectRequest asked, ClientAccess access) {
    String tenant = access.client().tenant();
    SessionSettings own = services.tenants().of(tenant).session();
    ConnectRequest request = asked;
    if (own != services.settings()) {
      request = new ConnectReader(own).grant(asked);
      ctx.pipeline().fireUserEventTriggered(new PacketLimit(own.maxPacketBytes()));
    }
    ClientIdOwner.requireNotInUse(services, own.bindClientIdTo(), access, protocolLevel);
    boolean replaces = services.registry().find(tenant, request.clientId()) != null;
    Limit limit = services.tenants().quota(tenant).admit(services.clock().millis(), replaces);
    if (limit != null) {
      throw new ProtocolViolation(
          limit == Limit.CONNECTIONS
              ? CloseReason.QUOTA_EXCEEDED
              : CloseReason.CONNECTION_RATE_EXCEEDED,
          limit.key() + " reached",
          protocolLevel,
          limit);
    }
    return new Session(sessions, ctx.channel(), request, access, slices);
  }

  /** Attaches the inbox, now that the client has no other connection on this node. */
  private void attachInbox(ChannelHandlerContext ctx, Session connecting) {
    if (connecting.isEnded()) {
      connecting.releaseResources();
      return;
    }
    new SessionOwnership(services, connecting)
        .acquire((attachment, error) -> attached(ctx, connecting, attachment, error));
  }

  private void attached(
      ChannelHandlerContext ctx,
      Session connecting,
      @Nullable Attachment attachment,
      @Nullable Throwable error) {
    if (error != null) {
      if (!connecting.isEnded()) {
        StoreFailure.end(connecting.connection(), error, "attaching the session");
      }
      connecting.releaseResources();
      return;
    }
    connecting.attached(attachment);
    if (connecting.isEnded()) {
      connecting.releaseResources();
      return;
    }
    boolean present = attachment != null && attachment.sessionPresent();
    connecting
        .connection()
        .whenDone(
            new ResumedSubscriptions(services, connecting, sessions.resumes()).resume(attachment),
            (done, failure) -> accept(ctx, connecting, present, failure));
  }

  private void accept(
      ChannelHandlerContext ctx, Session connecting, boolean present, @Nullable Throwable error) {
    if (error != null && !connecting.isEnded()) {
      StoreFailure.end(connecting.connection(), error, "restoring subscriptions");
    }
    if (connecting.isEnded()) {
      connecting.releaseResources();
      return;
    }
    SessionHandler next = new SessionHandler(connecting);
    ArrayDeque<Object> packets = early.clone();
    early.clear();
    ctx.pipeline().replace(this, "session", next);
    connecting.open(present);
    ChannelHandlerContext nextCtx = ctx.pipeline().context(next);
    packets.forEach(packet -> next.channelRead(nextCtx, packet));
    next.channelReadComplete(nextCtx);
    connecting.connection().gate().open(ReadGate.CONNECT);
  }

  private void refuse(ChannelHandlerContext ctx, ProtocolViolation violation, String tenant) {
    protocolLevel = Math.max(protocolLevel, violation.protocolLevel());
    if (violation.limit() != null) {
      services.tenants().reached(violation.limit(), tenant);
    }
    refuse(ctx, violation.reason(), violation.detail());
  }

  private void refuse(ChannelHandlerContext ctx, CloseReason reason, String detail) {
    if (refused) {
      return;
    }
    countRefusal(reason);
    LOG.debug(
        "Connection refused: reason={} detail={} peer={}",
        reason.label(),
        detail,
        Peer.of(ctx.channel()));
    ConnAckRefusal.send(ctx.channel(), protocolLevel, maxPacketBytes, reason, detail);
  }

  /** The connection ends without a session. The result of its authentication is ignored. */
  private void countRefusal(CloseReason reason) {
    refused = true;
    cancelTimeout();
    slices.gate().abandon();
    services.observer().refused(reason);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (session != null) {
      session.end(CloseReason.CONNECTION_LOST, "closed while connecting");
    } else if (!refused) {
      countRefusal(CloseReason.CONNECTION_LOST);
    }
    cancelTimeout();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean internal = SessionHandler.logUnlessDisconnect(ctx, cause);
    CloseReason reason = internal ? CloseReason.INTERNAL_ERROR : CloseReason.CONNECTION_LOST;
    String detail = internal ? "internal error" : cause.toString();
    if (session != null) {
      session.end(reason, detail);
    } else if (refused) {
      ctx.close(); // the refusal itself could not be sent
    } else {
      refuse(ctx, reason, detail);
    }
  }
}
