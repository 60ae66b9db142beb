package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnAckRefusal;
import io.fjordmq.broker.protocol.ConnectRequest;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a session once, closes its connection, and releases its resources. If the session ends
 * before the CONNACK, its resources are released after the CONNECT step in progress. Only used on
 * the event loop, except for {@link #releasePart}.
 */
final class SessionEnd {
  private static final Logger LOG = LoggerFactory.getLogger(SessionEnd.class);

  private final SessionContext context;
  private final Session session;
  private final Connection connection;
  private final ConnectionReports reports;
  private final ConnectionClose connectionClose;
  private long expirySeconds;
  private CloseReason reason = CloseReason.CONNECTION_LOST; // set when the session ends

  SessionEnd(SessionContext context, Session session, ConnectionReports reports) {
    this.context = context;
    this.session = session;
    this.connection = session.connection();
    this.reports = reports;
    this.connectionClose = new ConnectionClose(context, session);
    this.expirySeconds = connection.request().expirySeconds();
  }

  /** Sets the session expiry interval that applies when the session ends. */
  void setExpirySeconds(long seconds) {
    expirySeconds = seconds;
  }

  /** Ends the session. Only the first call has an effect. */
  void end(CloseReason closeReason, String detail) {
    if (session.isEnded()) {
      return;
    }
    boolean wasOpen = session.isOpen();
    long connectedMillis = connection.nowMillis() - connection.connectedAtMillis();
    markEnded(closeReason, detail);
    if (wasOpen) {
      reports.reportDisconnected(closeReason, detail, connectedMillis);
      try {
        connectionClose.close(closeReason, detail);
      } finally {
        releaseResources(); // even if there is not enough memory for the DISCONNECT
      }
    } else {
      // The CONNECT step in progress releases the resources acquired so far.
      reports.reportRefused(closeReason, detail);
      ConnectRequest request = connection.request();
      ConnAckRefusal.send(
          connection.channel(),
          request.protocolLevel(),
          request.maxPacketBytes(),
          closeReason,
          detail);
      context.resumeQueue().remove(session);
    }
  }

  private void markEnded(CloseReason closeReason, String detail) {
    session.markEnded();
    connection.setConnectedAtMillis(0);
    reason = closeReason;
    LOG.debug(
        "Session ended: reason={} detail={} client={} tenant={} peer={}",
        closeReason.label(),
        detail,
        connection.clientId(),
        connection.tenant(),
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
    if (!session.isOpen() || !connection.channel().isActive()) {
      context.onConnectionNotHeld(session);
      end(CloseReason.NODE_DOWN, Session.MARKED_DOWN);
      return;
    }
    long connectedMillis = connection.nowMillis() - connection.connectedAtMillis();
    markEnded(CloseReason.NODE_DOWN, Session.MARKED_DOWN);
    reports.reportDisconnected(CloseReason.NODE_DOWN, Session.MARKED_DOWN, connectedMillis);
    connectionClose.hold(closesIn);
    releaseResources();
  }

  /** Closes the connection of a session that has ended with the node's incarnation. */
  void closeIfHeld(CloseReason closeReason, String detail) {
    connectionClose.closeIfHeld(closeReason, detail);
  }

  /** Releases one part of the session; returns whether it was the last one. */
  boolean releasePart() {
    return connectionClose.releasePart();
  }

  /** Releases all resources of the session. Called once, after the session has ended. */
  void releaseResources() {
    long sentBelow = session.endParts();
    session
        .ownership()
        .release(
            new SessionOwnership.ConnectionEnd(
                reason, session.wasOpened(), sentBelow, expirySeconds, connectionClose.heldFor()),
            () -> context.onStateReleased(session));
  }
}
