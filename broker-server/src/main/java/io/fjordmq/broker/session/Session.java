package io.fjordmq.broker.session;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.DeliveryResult;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Dialect;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectedCertificate;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.netty.channel.Channel;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The session of one connected client. It is composed of a {@link Dialect} for the protocol
 * version, a {@link DeliverySource} that supplies messages, and parts that each handle one kind of
 * packet exchange: {@link InboundPublishes}, {@link OutboundPublishes} and {@link Subscriptions}.
 * {@link SessionInbox} receives events of the inbox, and {@link SessionEnd} ends the session.
 *
 * <p>{@link ConnectHandler} creates and registers the session. {@link SessionOpening} then attaches
 * the inbox and restores the subscriptions; both steps wait for stores. The session is open from
 * the CONNACK on. It ends exactly once, by {@link #end} or {@link #endWithIncarnation}.
 */
final class Session
    implements LiveSession,
        Connection.Owner,
        KeepAlive.Client,
        ClientIdOwnerCheck.Holder,
        SessionHistory.Holder,
        SessionOwnership.Client,
        SessionInbox.Holder {
  static final String BANNED = "banned"; // the reason of the ban is only for operators
  static final String REVOKED = "the client's certificate is revoked";
  static final String MARKED_DOWN = "the cluster has marked this node as down; reconnect";

  private final SessionContext context;
  private final Connection connection;
  private final Registration registration;
  private @Nullable OutboundBacklog outboundBacklog; // null until the channel has been full
  private final SessionOwnership ownership;
  private final ConnectionReports reports;
  private final SessionInbox inbox;
  private @Nullable SessionParts parts;
  private @Nullable KeepAlive keepAlive;
  private @Nullable SessionEnd sessionEnd; // null until the session ends
  private boolean opened;
  private boolean ended;

  Session(
      SessionContext context,
      Channel channel,
      ConnectRequest request,
      ClientAccess access,
      ReadSlices slices,
      SharedQuotas quotas) {
    this.context = context;
    this.connection =
        new Connection(
            channel,
            context.services(),
            request,
            access,
            slices,
            quotas,
            context.wheel(channel.eventLoop()),
            context.pausedClients(),
            context.storeFailures(),
            this);
    this.ownership = new SessionOwnership(context.services(), this);
    this.reports = new ConnectionReports(connection);
    this.inbox = new SessionInbox(this);
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
  @Override
  public SessionOwnership ownership() {
    return ownership;
  }

  boolean isEnded() {
    return ended;
  }

  @Override
  public boolean isOpen() {
    return opened && !ended;
  }

  /** Called when the end of the session begins; from then on, the session has ended. */
  void markEnded() {
    ended = true;
  }

  /** Whether the client got a CONNACK; true also after the session has ended. */
  boolean wasOpened() {
    return opened;
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
    OutboundBacklog backlog = outboundBacklog;
    if (backlog == null) {
      backlog = new OutboundBacklog(connection.channel(), connection.gate());
      outboundBacklog = backlog;
    }
    return backlog;
  }

  /**
   * Creates the parts of the session. Called once the session's state belongs to this connection.
   *
   * @param attachment the inbox attachment of a persistent session; null for a transient session
   */
  void onAttached(@Nullable Attachment attachment) {
    SessionParts attached = new SessionParts(this, attachment);
    parts = attached;
    inbox.onAttached(attached.inbox());
  }

  SessionParts parts() {
    if (parts == null) {
      throw new IllegalStateException("session is not attached yet");
    }
    return parts;
  }

  /** Writes the CONNACK and opens the session. */
  void open(boolean sessionPresent) {
    opened = true;
    connection.setConnectedAtMillis(connection.nowMillis());
    connection.updateTrace(); // also if tracing has ended since the CONNECT
    int keepAliveSeconds = connection.request().keepAliveSeconds();
    if (keepAliveSeconds > 0) {
      keepAlive = new KeepAlive(context.wheel(connection.loop()), this, keepAliveSeconds);
      connection.gate().setKeepAlive(keepAlive);
    }
    connection.onIdentityChanged();
    connection.writer().write(connection.dialect().connAck(sessionPresent));
    reports.reportConnected(isPersistent(), sessionPresent);
    parts().start();
    connection.writer().flush();
  }

  /** Called when the client has sent a packet of this MQTT packet type. */
  void onPacket(int type) {
    connection.setLastPacketType(type);
    if (keepAlive != null) {
      keepAlive.onActivity();
    }
  }

  /** Called when the channel is writable again or the write rate allows messages again. */
  @Override
  public void onWritable() {
    if (!isEnded() && parts != null) {
      parts.resume();
      connection.writer().flush();
    }
  }

  /**
   * Ends the session if data is pending and the client has read nothing since the previous call.
   */
  void disconnectIfStuck() {
    boolean mayBeStuck =
        outboundBacklog != null || OutboundBacklog.hasPendingData(connection.channel());
    if (mayBeStuck && outboundBacklog().isStuck() && !isEnded()) {
      end(
          CloseReason.CLIENT_TOO_SLOW,
          "the client was not reading while the node was low on memory");
    }
  }

  private SessionEnd sessionEnd() {
    SessionEnd end = sessionEnd;
    if (end == null) {
      end = new SessionEnd(context, this, reports);
      sessionEnd = end;
    }
    return end;
  }

  /** Handles the client's DISCONNECT. */
  void onDisconnect(Dialect.ClientDisconnect clientDisconnect) {
    if (clientDisconnect.expirySeconds() >= 0) {
      sessionEnd().setExpirySeconds(clientDisconnect.expirySeconds());
    }
    end(clientDisconnect.reason(), "DISCONNECT received");
  }

  /** {@inheritDoc} Only the first call has an effect. */
  @Override
  public void end(CloseReason reason, String detail) {
    assert inEventLoop();
    inbox.end();
    sessionEnd().end(reason, detail);
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
    sessionEnd().setExpirySeconds(0);
    end(CloseReason.ADMINISTRATIVE_ACTION, "an operator has disconnected the client");
    return true;
  }

  /**
   * Whether the client was banned, its user was removed or changed, or its certificate was revoked.
   * Can be called on any thread.
   */
  boolean mustDisconnect() {
    return connection.isBanned(client())
        || connection.access().identityFault() != null
        || isRevoked();
  }

  /** Whether {@link #updateTrace} has something to do. Can be called on any thread. */
  boolean mustUpdateTrace() {
    return connection.mustUpdateTrace();
  }

  /** Starts or ends the tracing of the client, as the current traces require. */
  void updateTrace() {
    if (!isEnded()) {
      connection.updateTrace();
    }
  }

  /** Ends the session if {@link #mustDisconnect}. */
  void endIfNoLongerAdmitted() {
    if (isEnded()) {
      return;
    }
    if (connection.isBanned(client())) {
      end(CloseReason.BANNED, BANNED);
      return;
    }
    String fault = connection.access().identityFault();
    if (fault != null) {
      end(CloseReason.ADMINISTRATIVE_ACTION, fault);
    } else if (isRevoked()) {
      end(CloseReason.NOT_AUTHORIZED, REVOKED);
    }
  }

  /** Whether a revocation list contains the client's certificate or that of an issuer. */
  private boolean isRevoked() {
    X509Certificate certificate = connection.peer().certificate();
    return certificate != null
        && context
                .services()
                .security()
                .findInRevocationLists(certificate, connection.peer().issuers())
            != null;
  }

  /** The client's certificate, if it has one. Can be called on any thread. */
  Stream<ConnectedCertificate> certificate() {
    X509Certificate certificate = connection.peer().certificate();
    List<X509Certificate> issuers = connection.peer().issuers();
    return certificate == null || issuers == null
        ? Stream.empty()
        : Stream.of(
            new ConnectedCertificate(
                certificate, issuers, () -> eventLoop().execute(this::endAsRevoked)));
  }

  private void endAsRevoked() {
    if (!isEnded()) {
      end(CloseReason.NOT_AUTHORIZED, REVOKED);
    }
  }

  /** Ends the session because the node is stopping. */
  void endForShutDown() {
    end(CloseReason.SERVER_SHUTTING_DOWN, "the server is shutting down");
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
    inbox.end();
    sessionEnd().endWithIncarnation(closesIn);
  }

  /** Closes the connection of a session that has ended with the node's incarnation. */
  void closeIfHeld(CloseReason reason, String detail) {
    assert inEventLoop();
    if (sessionEnd != null) {
      sessionEnd.closeIfHeld(reason, detail);
    }
  }

  /** Releases one part of the session; returns whether it was the last one. */
  boolean releasePart() {
    return sessionEnd().releasePart();
  }

  /** Releases all resources of the session. Called once, after the session has ended. */
  void releaseResources() {
    sessionEnd().releaseResources();
  }

  /**
   * Ends the connection and the parts of the session.
   *
   * @return the exclusive upper bound of the inbox sequences that were sent
   */
  long endParts() {
    if (keepAlive != null) {
      keepAlive.cancel();
    }
    connection.throttle().cancel();
    connection.gate().abandon();
    // End the connection before the parts, because ending the parts may complete futures whose
    // callbacks must no longer act on this session.
    connection.end();
    // Commits acknowledgements, so it must precede the detach.
    return parts == null ? 0 : parts.end();
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
    return inbox.exists();
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
    if (isEnded() || parts == null) {
      return DeliveryResult.ENDED;
    }
    return parts.outbound().deliver(delivery);
  }

  @Override
  public void flush() {
    assert inEventLoop();
    if (!isEnded() && parts != null) {
      parts.pump();
      connection.writer().flush();
    }
  }

  @Override
  public void onAppended(InboxHandle handle, List<InboxEntry> entries) {
    assert inEventLoop();
    inbox.onAppended(handle, entries);
  }

  @Override
  public CompletableFuture<?> refetch() {
    assert inEventLoop();
    return inbox.refetch();
  }

  @Override
  public void onFenced(InboxHandle handle) {
    assert inEventLoop();
    inbox.onFenced(handle);
  }

  @Override
  public void onInboxTakenOver() {
    end(CloseReason.SESSION_TAKEN_OVER, "the session was taken over by another connection");
  }

  @Override
  public void onTakenOver() {
    assert inEventLoop();
    String detail = "a new connection uses the same client identifier";
    closeIfHeld(CloseReason.SESSION_TAKEN_OVER, detail);
    end(CloseReason.SESSION_TAKEN_OVER, detail);
  }
}
