package io.fjordmq.broker.session;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.limits.ClientIdBinding;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.DenialCause;
import io.fjordmq.broker.security.SecurityObserver.Attempt;
import io.fjordmq.inbox.SessionUser;

/**
 * Refuses a client whose client identifier belongs to another user, according to {@link
 * ClientIdBinding}. The inbox stores the user to which a client identifier is bound, and refuses
 * other users on every node. This class checks existing connections on this node before that,
 * because the takeover would close them before the inbox is attached.
 */
final class ClientIdOwnerCheck {
  /** A session on this node that uses a client identifier. */
  interface Holder {
    /** Whether the session is open, which it is from the CONNACK until the session ends. */
    boolean isOpen();

    ClientInfo client();
  }

  private static final AccessDecision OTHER_USER =
      new AccessDecision(false, "sessionConfig.bindClientIdTo", DenialCause.OTHER_USER);

  private ClientIdOwnerCheck() {}

  /**
   * @throws ProtocolViolation if a connection of another user uses the client identifier
   */
  static void requireNotInUse(
      SessionServices services, ClientIdBinding binding, ClientAccess access, int protocolLevel) {
    SessionUser user = binding.user(access.client());
    if (!user.exclusive()
        || !(services.registry().find(access.client().tenant(), access.client().clientId())
            instanceof Holder other)) {
      return;
    }
    if (other.isOpen() && !user.equals(binding.user(other.client()))) {
      throw recordRefusal(access, protocolLevel);
    }
  }

  /**
   * Counts and logs the refusal of a client whose session belongs to another user; returns the
   * violation that ends its connection.
   */
  static ProtocolViolation recordRefusal(ClientAccess access, int protocolLevel) {
    access.denied(Attempt.CONNECT, "connect as " + access.client().clientId(), OTHER_USER);
    return new ProtocolViolation(
        CloseReason.CLIENT_IDENTIFIER_NOT_VALID,
        "the client identifier is in use by another user",
        protocolLevel);
  }
}
