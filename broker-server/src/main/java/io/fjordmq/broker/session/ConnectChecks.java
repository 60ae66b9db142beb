package io.fjordmq.broker.session;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.limits.ConnectionQuota;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.security.ClientAccess;
import io.netty.buffer.ByteBufUtil;
import java.net.InetAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
   * Checks the client identifier and the address, before the client is authenticated.
   *
   * @param address null if the client has none
   * @throws ProtocolViolation if the client is banned in all tenants
   */
  void requireNotBanned(ConnectRequest request, @Nullable InetAddress address) {
    if (services.bans().find(request.clientId(), address) != null) {
      throw new ProtocolViolation(CloseReason.BANNED, Session.BANNED, request.protocolLevel());
    }
  }

  /**
   * Returns the CONNECT with the client identifier that the authentication has determined.
   *
   * @throws ProtocolViolation if no client can have this identifier
   */
  ConnectRequest withClientIdOf(ClientAccess access, ConnectRequest request) {
    String clientId = access.client().clientId();
    if (clientId.equals(request.clientId())) {
      return request;
    }
    int bytes = ByteBufUtil.utf8Bytes(clientId);
    int max = services.tenants().of(access.client().tenant()).session().maxClientIdBytes();
    if (bytes == 0 || bytes > max || clientId.indexOf('\0') >= 0) {
      throw new ProtocolViolation(
          CloseReason.CLIENT_IDENTIFIER_NOT_VALID,
          "the client identifier from the authentication is empty, contains U+0000 or is longer"
              + " than "
              + max
              + " bytes",
          request.protocolLevel());
    }
    return request.withClientId(clientId);
  }

  /**
   * Checks the limits of the client's user.
   *
   * @return the number of milliseconds that the CONNECT must wait
   * @throws ProtocolViolation if the user has too many connections
   */
  long admitUser(ConnectRequest request, ClientInfo client, SharedQuotas quotas) {
    // Another user's connection does not count for this user, so taking it over frees nothing.
    boolean replaces =
        services.registry().find(client.tenant(), request.clientId())
                instanceof ClientIdOwnerCheck.Holder other
            && Objects.equals(client.userName(), other.client().userName());
    return quotas.admitUser(
        client, replaces, services.tenants().nowMillis(), request.protocolLevel());
  }

  /**
   * Checks bans and the limits of the tenant, after the client has been authenticated.
   *
   * @param tenantSettings the session limits of the tenant
   * @throws ProtocolViolation if the client is banned, exceeds a limit, or another user's
   *     connection uses the client identifier
   */
  void requireAdmitted(
      ConnectRequest request, SessionSettings tenantSettings, ClientAccess access) {
    if (services.bans().find(access.client()) != null) {
      throw new ProtocolViolation(CloseReason.BANNED, Session.BANNED, request.protocolLevel());
    }
    String tenant = access.client().tenant();
    ClientIdOwnerCheck.requireNotInUse(
        services, tenantSettings.bindClientIdTo(), access, request.protocolLevel());
    boolean replaces = services.registry().find(tenant, request.clientId()) != null;
    ConnectionQuota.Exceeded exceeded =
        services
            .tenants()
            .quota(tenant)
            .admit(services.tenants().nowMillis(), replaces, 0)
            .exceeded();
    if (exceeded != null) {
      boolean tooMany = exceeded == ConnectionQuota.Exceeded.CONNECTIONS;
      Limit limit = tooMany ? Limit.CONNECTIONS : Limit.CONNECTION_RATE;
      throw new ProtocolViolation(
          tooMany ? CloseReason.QUOTA_EXCEEDED : CloseReason.CONNECTION_RATE_EXCEEDED,
          limit.key() + " reached",
          request.protocolLevel(),
          limit);
    }
  }

  /**
   * Ends the session if, while the client was being authenticated, the node has stopped serving,
   * the client has been banned, or its user has been removed or changed. Called after the session
   * is registered: a node that learns of such a change ends only registered sessions, so a check
   * before the registration could miss the change.
   */
  void endIfNotAllowed(Session connecting) {
    String notServing = services.servingState().notServingReason();
    if (sessions.isShuttingDown()) {
      connecting.endForShutDown();
    } else if (notServing != null) {
      services.observer().onRefusedAsNotServing(RejectedWork.CONNECT);
      connecting.end(CloseReason.SERVER_UNAVAILABLE, NOT_SERVING + notServing);
    } else {
      connecting.endIfNoLongerAdmitted();
    }
  }
}
