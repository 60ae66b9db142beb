package io.fjordmq.broker.session;

import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.DenialCause;
import io.fjordmq.broker.security.SecurityObserver.Attempt;
import io.fjordmq.inbox.SessionUser;

/**
 * Keeps a client identifier for the user of its session, as {@link ClientIdBinding} says. The inbox
 * knows whom it is bound to and refuses others wherever they connect. A connection at this node is
 * asked first, because it would be closed before the inbox is.
 */
final class ClientIdOwner {
  private static final AccessDecision OTHER_USER =
      new AccessDecision(false, "sessionConfig.bindClientIdTo", DenialCause.OTHER_USER);

  private ClientIdOwner() {}

  /**
   * @throws ProtocolViolation if a connection of another user has the client identifier
   */
  static void requireNotInUse(
      SessionServices services, ClientIdBinding binding, ClientAccess access, int protocolLevel) {
    SessionUser user = binding.user(access.client());
    if (!user.exclusive()
        || !(services.registry().find(access.client().tenant(), access.client().clientId())
            instanceof Session other)) {
      return;
    }
    if (other.isOpen() && !user.equals(binding.user(other.connection().access().client()))) {
      throw refuse(access, protocolLevel);
    }
  }

  /** Counts and logs that the session is another user's. */
  static ProtocolViolation refuse(ClientAccess access, int protocolLevel) {
    access.denied(Attempt.CONNECT, "connect as " + access.client().clientId(), OTHER_USER);
    return new ProtocolViolation(
        CloseReason.CLIENT_IDENTIFIER_NOT_VALID, "held by another user", protocolLevel);
  }
}
