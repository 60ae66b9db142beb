package io.fjordmq.broker.session;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.DeliveryResult;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnAckRefusal;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Dialect;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session of one connected client. It is composed of a {@link Dialect} for the protocol
 * version, a {@link DeliverySource} that supplies messages, and parts that each handle one kind of
 * packet exchange: {@link InboundPublishes}, {@link OutboundPublishes} and {@link Subscriptions}.
 *
 * <p>{@link ConnectHandler} creates and registers the session. {@link SessionOpening} then attaches
 * the inbox and restores the subscriptions; both steps wait for stores. The session is open from
 * the CONNACK on. It ends exactly once, by {@link #end} or {@link #endWithIncarnation}. If it ends
 * before the CONNACK, its resources are released after the step in progress.
 */
final class Session
    implements LiveSession,
        KeepAlive.Client,
        ClientIdOwnerCheck.Holder,
        SessionHistory.Holder,
        SessionOwnership.Client {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  static final String BANNED = "banned"; // the reason of the ban is only for operators
  static final String MARKED_DOWN = "the cluster has marked this node as down; reconnect";

  private final SessionContext context;
  private final Connection connection;
  private final Registration registration;
  private final OutboundBacklog outboundBacklog;
  private final SessionOwnership ownership;
  private final ConnectionReports reports;
  private final ConnectionClose connectionClose;
  private @Nullable SessionParts parts;
  private @Nullable KeepAlive keepAlive;
  private long expirySeconds;
  private boolean open;
  private boolean ended;
  // Events of the inbox that arrived before the result of the attach.
  private boolean pushedBeforeAttach;
  private @Nullable List<InboxHandle> fencedBeforeAttach;
  private CloseReason endReason = CloseReason.CONNECTION_LOST; // set when the session ends

  Session(
      SessionContext context,
      Channel channel,
      ConnectRequest request,
      ClientAccess access,
      ReadSlices slices) {
    this.context = context;
    this.connection =
        new Connection(
            channel,
            context.services(),
            request,
            access,
            slices,
            context.wheel(channel.eventLoop()),
            context.pausedClients(),
            context.storeFailures(),
            violation -> end(violation.reason(), violation.detail()),
            this::onWritable);
    this.outboundBacklog = new OutboundBacklog(channel, connection.gate());
    this.ownership = new SessionOwnership(context.services(), this);
    this.reports = new ConnectionReports(connection);
    this.connectionClose =
        new ConnectionClose(
            connection, context::serverReference, () -> context.onHeldConnectionClosed(this));
    this.expirySeconds = request.expirySeconds();
    this.registration = context.register(this);
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public Registration registration() {
    return registration;
  }

  /** Applies changed limits of the client's tenant. Called on the event loop. */
  void applyLimits() {
    if (!isEnded()) {
      connection.applyLimits();
    }
  }

  /** The ownership of the session's state in the stores. */
  SessionOwnership ownership() {
    return ownership;
  }

  boolean isEnded() {
    return ended;
  }

  @Override
  public boolean isOpen() {
    return open && !ended;
  }

  @Override
  public ClientInfo client() {
    return connection.access().client();
  }

  @Override
  public ReadGate gate() {
    return connection.gate();
  }

  @Override
  public OutboundBacklog outboundBacklog() {
    return outboundBacklog;
  }

  /**
   * Creates the parts of the session. Called once the session's state belongs to this connection.
   *
   * @param attachment the inbox attachment of a persistent session; null for a transient session
   */
  void onAttached(@Nullable Attachment attachment) {
    SessionParts attached = SessionParts.of(connection, this, attachment);
    parts = attached;
    InboxSource inbox = attached.inbox();
    if (pushedBeforeAttach && inbox != null) {
      inbox.refetch();
    }
    if (fencedBeforeAttach != null) {
      fencedBeforeAttach.forEach(this::onFenced);
    }
  }

  SessionParts parts() {
    if (parts == null) {
      throw new IllegalStateException("session is not attached yet");
    }
    return parts;
  }

  /** Writes the CONNACK and opens the session. */
  void open(boolean sessionPresent) {
    open = true;
    connection.setConnectedAtMillis(connection.nowMillis());
    connection.updateTrace(); // also if tracing has ended since the CONNECT
    int keepAliveSeconds = connection.request().keepAliveSeconds();
    if (keepAliveSeconds > 0) {
      keepAlive = new KeepAlive(context.wheel(connection.loop()), this, keepAliveSeconds);
      connection.gate().setKeepAlive(keepAlive);
    }
    connection.writer().write(connection.dialect().connAck(sessionPresent));
    reports.reportConnected(isPersistent(), sessionPresent);
    parts().outbound().start();
    connection.writer().flush();
  }

  /** Called when the client has sent a packet of this MQTT packet type. */
  void onPacket(int type) {
    connection.history().onPacket(type);
    if (keepAlive != null) {
      keepAlive.onActivity();
    }
  }

  /** Called when the channel is writable again or the write rate allows messages again. */
  void onWritable() {
    if (!ended && parts != null) {
      parts.resume();
      connection.writer().flush();
    }
  }

  /**
   * Ends the session if data is pending and the client has read nothing since the previous call.
   */
  void disconnectIfStuck() {
    if (outboundBacklog.isStuck() && !ended) {
      end(
          CloseReason.CLIENT_TOO_SLOW,
          "the client was not reading while the node was low on memory");
    }
  }

  /** Handles the client's DISCONNECT. */
  void onDisconnect(Dialect.ClientDisconnect clientDisconnect) {
    if (clientDisconnect.expirySeconds() >= 0) {
      expirySeconds = clientDisconnect.expirySeconds();
    }
    end(clientDisconnect.reason(), "DISCONNECT received");
  }

  /** {@inheritDoc} Only the first call has an effect. */
  @Override
  public void end(CloseReason reason, String detail) {
    assert inEventLoop();
    if (ended) {
      return;
    }
    long connectedMillis = connection.nowMillis() - connectedAtMillis();
    markEnded(reason, detail);
    if (open) {
      reports.reportDisconnected(reason, detail, connectedMillis);
      try {
        connectionClose.close(reason, detail);
      } finally {
        releaseResources(); // even if there is not enough memory for the DISCONNECT
      }
    } else {
      // The CONNECT step in progress releases the resources acquired so far.
      reports.reportRefused(reason, detail);
      ConnectRequest request = connection.request();
      ConnAckRefusal.send(
          connection.channel(), request.protocolLevel(), request.maxPacketBytes(), reason, detail);
      context.resumeQueue().remove(this);
    }
  }

  /**
   * Returns when the client got its CONNACK, in epoch milliseconds; 0 while the session is not
   * open. Can be called on any thread.
   */
  long connectedAtMillis() {
    return connection.connectedAtMillis();
  }

  /**
   * Disconnects the client and ends its session, even if it is persistent.
   *
   * @return false if the client is not connected; then its session may remain
   */
  boolean kick() {
    if (!isOpen()) {
      return false;
    }
    expirySeconds = 0;
    end(CloseReason.ADMINISTRATIVE_ACTION, "an operator has disconnected the client");
    return true;
  }

  /** Whether the client is banned. Can be called on any thread. */
  boolean isBanned() {
    return connection.services().bans().find(client()) != null;
  }

  /** Whether {@link #updateTrace} has something to do. Can be called on any thread. */
  boolean mustUpdateTrace() {
    return connection.mustUpdateTrace();
  }

  /** Starts or ends the tracing of the client, as the current traces require. */
  void updateTrace() {
    if (!ended) {
      connection.updateTrace();
    }
  }

  /** Ends the session if the client is banned. */
  void endIfBanned() {
    if (!ended && isBanned()) {
      end(CloseReason.BANNED, BANNED);
    }
  }

  /** Ends the session because the node is stopping. */
  void endForShutDown() {
    end(CloseReason.SERVER_SHUTTING_DOWN, "the server is shutting down");
  }

  private void markEnded(CloseReason reason, String detail) {
    ended = true;
    connection.setConnectedAtMillis(0);
    endReason = reason;
    LOG.debug(
        "Session ended: reason={} detail={} client={} tenant={} peer={}",
        reason.label(),
        detail,
        clientId(),
        tenant(),
        connection.peer());
  }

  /**
   * Ends the session because the node's incarnation has ended. If the client is connected, the
   * connection stays open until {@link #closeIfHeld}. Until then, nothing is written to it and
   * nothing is read from it, so that TCP flow control stops the client from sending.
   *
   * @param closesIn the time after which the connection is expected to be closed
   */
  void endWithIncarnation(Duration closesIn) {
    assert inEventLoop();
    if (!isOpen() || !connection.channel().isActive()) {
      context.onConnectionNotHeld(this);
      end(CloseReason.NODE_DOWN, MARKED_DOWN);
      return;
    }
    long connectedMillis = connection.nowMillis() - connectedAtMillis();
    markEnded(CloseReason.NODE_DOWN, MARKED_DOWN);
    reports.reportDisconnected(CloseReason.NODE_DOWN, MARKED_DOWN, connectedMillis);
    connectionClose.hold(closesIn);
    releaseResources();
  }

  /** Closes the connection of a session that has ended with the node's incarnation. */
  void closeIfHeld(CloseReason reason, String detail) {
    assert inEventLoop();
    connectionClose.closeIfHeld(reason, detail);
  }

  /** Releases one part of the session; returns whether it was the last one. */
  boolean releasePart() {
    return connectionClose.releasePart();
  }

  /** Releases all resources of the session. Called once, after the session has ended. */
  void releaseResources() {
    if (keepAlive != null) {
      keepAlive.cancel();
    }
    connection.throttle().cancel();
    connection.gate().abandon();
    // End the connection before the parts, because ending the parts may complete futures whose
    // callbacks must no longer act on this session.
    connection.end();
    if (parts != null) {
      // Commits acknowledgements, so it must precede the detach below.
      parts.end(connection.services(), this);
    }
    long sentBelow = parts == null ? 0 : parts.outbound().window().sentBelow();
    ownership.release(
        new SessionOwnership.ConnectionEnd(
            endReason, open, sentBelow, expirySeconds, connectionClose.heldFor()),
        () -> context.onStateReleased(this));
  }

  @Override
  public String tenant() {
    return connection.tenant();
  }

  @Override
  public String clientId() {
    return connection.clientId();
  }

  @Override
  public boolean isPersistent() {
    return inbox() != null;
  }

  @Override
  public Executor eventLoop() {
    return connection.loop();
  }

  @Override
  public boolean inEventLoop() {
    return connection.loop().inEventLoop();
  }

  @Override
  public DeliveryResult deliver(Delivery delivery) {
    assert inEventLoop();
    if (ended || parts == null) {
      return DeliveryResult.ENDED;
    }
    return parts.outbound().deliver(delivery);
  }

  @Override
  public void flush() {
    assert inEventLoop();
    if (!ended && parts != null) {
      parts.outbound().pump();
      connection.writer().flush();
    }
  }

  @Override
  public void onAppended(InboxHandle handle, List<InboxEntry> entries) {
    assert inEventLoop();
    if (parts == null) {
      // The attach and the append were in the same write. The push overtook the result of the
      // attach, which does not contain the entry.
      pushedBeforeAttach = true;
    }
    InboxSource inbox = ended ? null : inbox();
    if (inbox != null && inbox.isFor(handle)) {
      inbox.onAppended(entries);
      connection.writer().flush();
    }
  }

  @Override
  public CompletableFuture<?> refetch() {
    assert inEventLoop();
    if (parts == null) {
      pushedBeforeAttach = true;
    }
    InboxSource inbox = ended ? null : inbox();
    if (inbox == null) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<?> read = inbox.refetch();
    connection.writer().flush();
    return read;
  }

  /**
   * The inbox source of a persistent session; null if the session is transient or not attached yet.
   */
  private @Nullable InboxSource inbox() {
    return parts == null ? null : parts.inbox();
  }

  @Override
  public void onFenced(InboxHandle handle) {
    assert inEventLoop();
    if (parts == null) {
      fencedBeforeAttach = fencedBeforeAttach == null ? new ArrayList<>(1) : fencedBeforeAttach;
      fencedBeforeAttach.add(handle); // it is not yet known whether this is the session's inbox
    } else if (ownership.markLost(handle)) {
      end(CloseReason.SESSION_TAKEN_OVER, "the session was taken over by another connection");
    }
  }

  @Override
  public void onTakenOver() {
    assert inEventLoop();
    String detail = "a new connection uses the same client identifier";
    closeIfHeld(CloseReason.SESSION_TAKEN_OVER, detail);
    end(CloseReason.SESSION_TAKEN_OVER, detail);
  }
}
