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
 * The first packet of a connection. In order: CONNECT in time and well-formed, what {@link
 * Security} says, the place in the registry (an older connection of the client gives its state back
 * first), the inbox, the subscriptions it has, CONNACK. Then a {@link SessionHandler} takes over.
 *
 * <p>While a step waits, the client is not read; packets that came along with the CONNECT (MQTT 5.0
 * §3.1.4 allows them) wait here, no more than one read can hold.
 */
final class ConnectHandler extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectHandler.class);

  private static final String NOT_SERVING = "this node does not serve clients now: ";

  private final Sessions sessions;
  private final SessionServices services;
  private final ReadSlices slices;
  private final ArrayDeque<Object> early = new ArrayDeque<>(2);
  private @Nullable ReadGate gate;
  private @Nullable ConnectAuthentication authentication;
  private TimeoutWheel.@Nullable Timeout timeout;
  private @Nullable Session session;
  private boolean refused;
  // What is known of the client when it has to be refused.
  private int protocolLevel;
  private int maxPacketBytes = SessionSettings.LARGEST_PACKET;

  ConnectHandler(Sessions sessions, ReadSlices slices) {
    this.sessions = sessions;
    this.services = sessions.services();
    this.slices = slices;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    awaitPacket(ctx, "no CONNECT in time");
  }

  private void awaitPacket(ChannelHandlerContext ctx, String otherwise) {
    timeout =
        new TimeoutWheel.Timeout() {
          @Override
          long due() {
            refuse(ctx, CloseReason.CONNECT_TIMEOUT, otherwise);
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
      onConnect(ctx, (MqttConnectMessage) message); // the framer lets nothing else be the first
    }
  }

  private void onConnect(ChannelHandlerContext ctx, MqttConnectMessage connect) {
    protocolLevel = connect.variableHeader().version();
    int taken = ConnectReader.maxPacketBytes(connect);
    maxPacketBytes = taken == 0 ? SessionSettings.LARGEST_PACKET : taken;
    if (sessions.isShuttingDown()) {
      throw new ProtocolViolation(CloseReason.SERVER_UNAVAILABLE, "the server is shutting down");
    }
    if (sessions.isLeaving()) {
      throw new ProtocolViolation(CloseReason.USE_ANOTHER_SERVER, Sessions.LEAVING);
    }
    requireServing();
    if (services.overload().isOverloaded()) {
      services.observer().refusedAsOverloaded(RejectedWork.CONNECT);
      throw new ProtocolViolation(CloseReason.SERVER_BUSY, "the server has too much to do");
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
   * @throws ProtocolViolation if this node may not know whom else the client is connected to, or
   *     could not tell
   */
  private void requireServing() {
    String reason = services.servingState().refusedBecause();
    if (reason != null) {
      services.observer().refusedAsNotServing(RejectedWork.CONNECT);
      throw new ProtocolViolation(CloseReason.SERVER_UNAVAILABLE, NOT_SERVING + reason);
    }
    if (!services.registry().hasRoom()) {
      throw new ProtocolViolation(
          CloseReason.SERVER_BUSY, "too much waits for another node of the cluster");
    }
  }

  /** Waits for the end of the authentication. */
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
    public void goOn() {
      if (!isGone()) {
        awaitPacket(ctx, "no AUTH in time");
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
    Session mine;
    try {
      mine = admit(ctx, request.authenticated(data), access);
    } catch (ProtocolViolation violation) {
      refuse(ctx, violation, access.client().tenant());
      return;
    }
    session = mine;
    endIfTooLate(mine);
    CompletableFuture<Void> olderGone = mine.registration().olderGone();
    if (olderGone.isDone()) {
      claimInbox(ctx, mine);
    } else {
      // In a turn of its own: thousands may wait for each other, and have ended meanwhile.
      olderGone.thenRun(() -> ctx.channel().eventLoop().execute(() -> claimInbox(ctx, mine)));
    }
  }

  /**
   * The node may have stopped serving while the client was authenticated. Whoever ends all sessions
   * for that ends those he finds: so this is asked when this one can be found.
   */
  private void endIfTooLate(Session mine) {
    String notServing = services.servingState().refusedBecause();
    if (sessions.isShuttingDown()) {
      Sessions.endForShutDown(mine);
    } else if (notServing != null) {
      services.observer().refusedAsNotServing(RejectedWork.CONNECT);
      mine.end(CloseReason.SERVER_UNAVAILABLE, NOT_SERVING + notServing);
    }
  }

  /**
   * It is known whose the client is: the limits of its tenant count from here on.
   *
   * @throws ProtocolViolation if one of them, or another user's connection, stands against it
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
          limit.key() + " is reached",
          protocolLevel,
          limit);
    }
    return new Session(sessions, ctx.channel(), request, access, slices);
  }

  /** The client has no other connection here any more: its state is claimed. */
  private void claimInbox(ChannelHandlerContext ctx, Session mine) {
    if (mine.isEnded()) {
      mine.giveBack();
      return;
    }
    new SessionClaim(services, mine)
        .begin((attachment, error) -> attached(ctx, mine, attachment, error));
  }

  private void attached(
      ChannelHandlerContext ctx,
      Session mine,
      @Nullable Attachment attachment,
      @Nullable Throwable error) {
    if (error != null) {
      if (!mine.isEnded()) {
        StoreFailure.end(mine.connection(), error, "claiming the session");
      }
      mine.giveBack();
      return;
    }
    mine.attached(attachment);
    if (mine.isEnded()) {
      mine.giveBack();
      return;
    }
    boolean present = attachment != null && attachment.sessionPresent();
    mine.connection()
        .whenDone(
            new ResumedSubscriptions(services, mine, sessions.resumes()).resume(attachment),
            (done, failure) -> accept(ctx, mine, present, failure));
  }

  private void accept(
      ChannelHandlerContext ctx, Session mine, boolean present, @Nullable Throwable error) {
    if (error != null && !mine.isEnded()) {
      StoreFailure.end(mine.connection(), error, "subscribing again");
    }
    if (mine.isEnded()) {
      mine.giveBack();
      return;
    }
    SessionHandler next = new SessionHandler(mine);
    ArrayDeque<Object> packets = early.clone();
    early.clear();
    ctx.pipeline().replace(this, "session", next);
    mine.open(present);
    ChannelHandlerContext nextCtx = ctx.pipeline().context(next);
    packets.forEach(packet -> next.channelRead(nextCtx, packet));
    next.channelReadComplete(nextCtx);
    mine.connection().gate().open(ReadGate.CONNECT);
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
    LOG.debug("Connection from {}: {}: {}", Peer.of(ctx.channel()), reason.label(), detail);
    ConnAckRefusal.send(ctx.channel(), protocolLevel, maxPacketBytes, reason, detail);
  }

  /** It ends without a session: what becomes of its authentication is of no interest any more. */
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
    boolean ours = SessionHandler.logIfOurs(ctx, cause);
    CloseReason reason = ours ? CloseReason.INTERNAL_ERROR : CloseReason.CONNECTION_LOST;
    String detail = ours ? "internal error" : cause.toString();
    if (session != null) {
      session.end(reason, detail);
    } else if (refused) {
      ctx.close(); // not even the refusal could be said
    } else {
      refuse(ctx, reason, detail);
    }
  }
}
