package io.fjordmq.broker.session;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.events.Denial;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnAckRefusal;
import io.fjordmq.broker.protocol.ConnectReader;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.OversizedWillTopic;
import io.fjordmq.broker.protocol.PacketCodec;
import io.fjordmq.broker.protocol.PacketLimit;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.security.ClientAccess;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles a connection until the CONNACK. The steps are, in this order: wait for a well-formed
 * CONNECT, check whether this node accepts it ({@link ConnectChecks}), authenticate the client
 * ({@link ConnectAuthentication}), register the session, open the session ({@link SessionOpening}),
 * and send the CONNACK. After that, a {@link SessionHandler} takes over.
 *
 * <p>While a step is in progress, nothing is read from the client. Packets that arrived together
 * with the CONNECT (allowed by MQTT 5.0 §3.1.4) are queued here; they all come from one read.
 */
final class ConnectHandler extends PacketHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectHandler.class);

  private final SessionTable sessions;
  private final SessionServices services;
  private final ReadSlices slices;
  private final ConnectChecks checks;
  private final ConnectRefusals refusals;
  private final SessionSettings settings;
  private final ArrayDeque<Object> earlyPackets = new ArrayDeque<>(2);
  private @Nullable ReadGate gate;
  private @Nullable ConnectAuthentication authentication;
  private TimeoutWheel.@Nullable Timeout timeout;
  private @Nullable Session session;
  private boolean refused;
  private @Nullable SharedQuotas quotas;
  private int protocolLevel; // 0 before the CONNECT
  // Needed to encode the CONNACK of a refusal.
  private int maxPacketBytes = SessionSettings.MAX_PACKET_BYTES;

  /**
   * @param settings the limits until the client is authenticated
   */
  ConnectHandler(
      SessionTable sessions, ReadSlices slices, PacketCodec codec, SessionSettings settings) {
    super(codec);
    this.sessions = sessions;
    this.services = sessions.services();
    this.slices = slices;
    this.settings = settings;
    this.checks = new ConnectChecks(sessions, services);
    this.refusals = new ConnectRefusals(services.history(), services.tracer());
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    armTimeout(ctx, "no CONNECT received within the connect timeout");
  }

  private void armTimeout(ChannelHandlerContext ctx, String timeoutDetail) {
    timeout =
        new TimeoutWheel.Timeout() {
          @Override
          long check() {
            refuse(ctx, CloseReason.CONNECT_TIMEOUT, timeoutDetail);
            return 0;
          }
        };
    long millis = settings.connectTimeout().toMillis();
    sessions.wheel(ctx.channel().eventLoop()).arm(timeout, TimeoutWheel.toTicks(millis));
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    cancelTimeout();
    if (authentication != null) {
      authentication.close();
    }
    earlyPackets.forEach(ReferenceCountUtil::release);
    earlyPackets.clear();
  }

  private void cancelTimeout() {
    if (timeout != null) {
      timeout.cancel();
      timeout = null;
    }
  }

  @Override
  int protocolLevel() {
    return protocolLevel;
  }

  @Override
  void onPacket(ChannelHandlerContext ctx, Object packet) {
    if (refused || (session != null && session.isEnded())) {
      ReferenceCountUtil.release(packet);
    } else if (gate != null && (authentication == null || !authentication.isWaitingForClient())) {
      earlyPackets.add(packet);
    } else {
      try {
        handle(ctx, packet);
      } catch (ProtocolViolation violation) {
        refuse(ctx, violation, "");
      } finally {
        ReferenceCountUtil.release(packet);
      }
    }
  }

  private void handle(ChannelHandlerContext ctx, Object packet) {
    if (packet instanceof ProtocolViolation violation) {
      throw violation;
    }
    MqttMessage message = (MqttMessage) packet;
    if (message.decoderResult().isFailure()) {
      int level = protocolLevel == 0 ? codec().levelOfLastConnect() : protocolLevel;
      throw ConnectReader.undecodable(message, level);
    }
    services.observer().onPacketReceived(message.fixedHeader().messageType().value());
    cancelTimeout();
    if (authentication != null && gate != null) {
      gate.close(ReadGate.CONNECT);
      authentication.onPacket(message);
    } else {
      onConnect(ctx, (MqttConnectMessage) message); // the framer rejects any other packet type here
    }
  }

  private void onConnect(ChannelHandlerContext ctx, MqttConnectMessage connect) {
    protocolLevel = connect.variableHeader().version();
    int accepted = ConnectReader.maxPacketBytes(connect);
    maxPacketBytes = accepted == 0 ? SessionSettings.MAX_PACKET_BYTES : accepted;
    refusals.onConnect(connect);
    checks.requireAccepting();
    ConnectRequest request =
        new ConnectReader(settings, OversizedWillTopic.take(ctx.channel())).read(connect);
    refusals.onRequest(request);
    services.tracer().onConnect(ctx.channel(), connect, request.clientId());
    InetAddress address = Peer.of(ctx.channel()).address();
    checks.requireNotBanned(request, address);
    SharedQuotas shared = new SharedQuotas(services.tenants(), ctx.channel());
    quotas = shared;
    long delay =
        shared.admitAddress(address, services.tenants().nowMillis(), request.protocolLevel());
    ReadGate closed = slices.gate();
    closed.close(ReadGate.CONNECT);
    gate = closed;
    runAfter(ctx, delay, () -> authenticate(ctx, request, closed));
  }

  /** Runs a step, after a delay if a limit of connections requires one. */
  private void runAfter(ChannelHandlerContext ctx, long delayMillis, Runnable step) {
    if (delayMillis == 0) {
      step.run();
      return;
    }
    ctx.channel()
        .eventLoop()
        .schedule(
            () -> {
              if (!refused && ctx.channel().isActive()) {
                step.run();
              }
            },
            delayMillis,
            TimeUnit.MILLISECONDS);
  }

  private void authenticate(ChannelHandlerContext ctx, ConnectRequest request, ReadGate closed) {
    ConnectAuthentication started =
        new ConnectAuthentication(
            ctx.channel(),
            request,
            services.security(),
            new AuthenticationListener(ctx, request, closed));
    authentication = started;
    started.begin();
  }

  /** Continues the handling of the CONNECT once the client is authenticated. */
  private final class AuthenticationListener implements ConnectAuthentication.Listener {
    private final ChannelHandlerContext ctx;
    private final ConnectRequest request;
    private final ReadGate closedGate;

    private AuthenticationListener(
        ChannelHandlerContext ctx, ConnectRequest request, ReadGate closed) {
      this.ctx = ctx;
      this.request = request;
      this.closedGate = closed;
    }

    @Override
    public void onChallenge() {
      if (!isClosed()) {
        armTimeout(ctx, "no AUTH received within the connect timeout");
        closedGate.open(ReadGate.CONNECT);
        if (!earlyPackets.isEmpty()) {
          onPacket(ctx, earlyPackets.remove());
        }
      }
    }

    @Override
    public void onAuthenticated(ClientInfo client, String decidedBy) {
      services.tracer().onAuthenticated(ctx.channel(), client, decidedBy);
    }

    @Override
    public void onAdmitted(ClientAccess access, byte[] data) {
      if (isClosed()) {
        return;
      }
      refusals.onAuthenticated(access.client().tenant());
      try {
        ConnectRequest identified = checks.withClientIdOf(access, request);
        refusals.onRequest(identified);
        long delay = checks.admitUser(identified, access.client(), quotas());
        runAfter(ctx, delay, () -> openSession(ctx, identified, access, data));
      } catch (ProtocolViolation violation) {
        refuse(ctx, violation, access.client().tenant());
      }
    }

    @Override
    public void onRefused(CloseReason reason, String detail, Denial denial) {
      if (!isClosed()) {
        refuse(ctx, reason, detail, denial);
      }
    }

    private boolean isClosed() {
      return refused || !ctx.channel().isActive();
    }
  }

  private void openSession(
      ChannelHandlerContext ctx, ConnectRequest received, ClientAccess access, byte[] data) {
    Session connecting;
    try {
      ConnectRequest request = received.withAuthenticationResult(data);
      // From here on, the limits of the client's tenant and its own limits apply.
      SessionSettings tenantSettings =
          services.tenants().of(access.client().tenant()).session().withOwn(access.limits());
      if (tenantSettings != settings) {
        request = new ConnectReader(tenantSettings).grant(request);
        ctx.pipeline().fireUserEventTriggered(new PacketLimit(tenantSettings.maxPacketBytes()));
      }
      checks.requireAdmitted(request, tenantSettings, access);
      connecting = new Session(sessions, ctx.channel(), request, access, slices, quotas());
    } catch (ProtocolViolation violation) {
      refuse(ctx, violation, access.client().tenant());
      return;
    }
    session = connecting;
    checks.endIfNotAllowed(connecting);
    new SessionOpening(
            connecting,
            services,
            sessions.resumeQueue(),
            present -> accept(ctx, connecting, present))
        .begin();
  }

  /** Hands the connection over to the session and opens the session. */
  private void accept(ChannelHandlerContext ctx, Session accepted, boolean sessionPresent) {
    SessionHandler next = new SessionHandler(accepted, codec());
    ArrayDeque<Object> packets = earlyPackets.clone();
    earlyPackets.clear();
    ctx.pipeline().replace(this, "session", next);
    accepted.open(sessionPresent);
    ChannelHandlerContext nextCtx = ctx.pipeline().context(next);
    packets.forEach(packet -> next.onPacket(nextCtx, packet));
    next.channelReadComplete(nextCtx);
    accepted.connection().gate().open(ReadGate.CONNECT);
  }

  private SharedQuotas quotas() {
    return Objects.requireNonNull(quotas, "created with the CONNECT");
  }

  private void refuse(ChannelHandlerContext ctx, ProtocolViolation violation, String tenant) {
    protocolLevel = Math.max(protocolLevel, violation.protocolLevel());
    Limit limit = violation.limit();
    if (limit != null) {
      services.tenants().recordLimitReached(limit, tenant);
      services.tenants().logRefusal(limit, Peer.of(ctx.channel()), refusals.clientId());
    }
    refuse(ctx, violation.reason(), violation.detail());
  }

  private void refuse(ChannelHandlerContext ctx, CloseReason reason, String detail) {
    refuse(ctx, reason, detail, Denial.of(detail));
  }

  /**
   * Refuses the client.
   *
   * @param detail the reason for the client and the log
   * @param denial the reason for operators
   */
  private void refuse(ChannelHandlerContext ctx, CloseReason reason, String detail, Denial denial) {
    if (refused) {
      return;
    }
    countRefusal(ctx, reason, denial);
    LOG.debug(
        "Connection refused: reason={} detail={} peer={}",
        reason.label(),
        detail,
        Peer.of(ctx.channel()));
    ConnAckRefusal.send(ctx.channel(), protocolLevel, maxPacketBytes, reason, detail);
  }

  /**
   * Counts a connection that ends before it has a session. A later authentication result is
   * ignored.
   */
  private void countRefusal(ChannelHandlerContext ctx, CloseReason reason, Denial denial) {
    refused = true;
    refusals.record(ctx.channel(), reason, denial);
    cancelTimeout();
    slices.gate().abandon();
    services.observer().onRefused(reason);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (session != null) {
      session.end(CloseReason.CONNECTION_LOST, "connection lost while connecting");
    } else if (!refused) {
      countRefusal(ctx, CloseReason.CONNECTION_LOST, Denial.NONE);
    }
    cancelTimeout();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean internal = SessionHandler.logUnlessConnectionLost(ctx, cause);
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
