package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.security.ClientAccess;

/**
 * Checks a CONNECT against the state of this node and the limits of the client's tenant. Only used
 * on the event loop.
 */
record ConnectChecks(SessionTable sessions, SessionServices services) {
  private static final String NOT_SERVING = "not serving clients: ";

  /**
   * Checks the state of the node, before the client is authenticated.
   *
   * @throws ProtocolViolation if the node is stopping, draining, overloaded or not serving clients,
   *     or cannot notify other nodes
   */
  void requireAccepting() {
    if (sessions.isShuttingDown()) {
      throw new ProtocolViolation(CloseReason.SERVER_UNAVAILABLE, "the server is shutting down");
    }
    if (sessions.isDraining()) {
      throw new ProtocolViolation(CloseReason.USE_ANOTHER_SERVER, SessionTable.DRAINING);
    }
    requireServing();
    if (services.overload().isOverloaded()) {
      services.observer().onRefusedAsOverloaded(RejectedWork.CONNECT);
      throw new ProtocolViolation(CloseReason.SERVER_BUSY, "the server is overloaded");
    }
  }

  private void requireServing() {
    String reason = services.servingState().notServingReason();
    if (reason != null) {
      services.observer().onRefusedAsNotServing(RejectedWork.CONNECT);
      throw new ProtocolViolation(CloseReason.SERVER_UNAVAILABLE, NOT_SERVING + reason);
    }
    if (!services.registry().hasCapacity()) {
      throw new ProtocolViolation(CloseReason.SERVER_BUSY, "the queue to another node is full");
    }
  }

  /**
   * Checks the limits of the tenant, after the client has been authenticated.
   *
   * @param tenantSettings the session limits of the tenant
   * @throws ProtocolViolation if the client exceeds a limit, or another user's connection uses the
   *     client identifier
   */
  void requireAdmitted(
      ConnectRequest request, SessionSettings tenantSettings, ClientAccess access) {
    String tenant = access.client().tenant();
    ClientIdOwnerCheck.requireNotInUse(
        services, tenantSettings.bindClientIdTo(), access, request.protocolLevel());
    boolean replaces = services.registry().find(tenant, request.clientId()) != null;
    Limit limit = services.tenants().quota(tenant).admit(services.clock().millis(), replaces);
    if (limit != null) {
      throw new ProtocolViolation(
          limit == Limit.CONNECTIONS
              ? CloseReason.QUOTA_EXCEEDED
              : CloseReason.CONNECTION_RATE_EXCEEDED,
          limit.key() + " reached",
          request.protocolLevel(),
          limit);
    }
  }

  /**
   * Ends the session if the node has stopped serving while the client was being authenticated.
   * Called after the session is registered: a node that stops serving ends only registered
   * sessions, so a check before the registration could miss the change.
   */
  void endIfNotServing(Session connecting) {
    String notServing = services.servingState().notServingReason();
    if (sessions.isShuttingDown()) {
      connecting.endForShutDown();
    } else if (notServing != null) {
      services.observer().onRefusedAsNotServing(RejectedWork.CONNECT);
      connecting.end(CloseReason.SERVER_UNAVAILABLE, NOT_SERVING + notServing);
    }
  }
}
