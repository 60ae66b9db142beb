package io.fjordmq.broker.session;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.protocol.AuthPacket;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Dialect;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.security.AuthenticationExchange;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Challenge;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import io.fjordmq.broker.security.Security;
import io.netty.handler.codec.mqtt.MqttMessage;
import org.jspecify.annotations.Nullable;

/**
 * Re-authenticates a connected client with the method of its CONNECT (MQTT 5.0 §4.12.1). Until
 * re-authentication is complete, the client keeps its permissions and other packets are handled as
 * usual. Only used on the event loop.
 */
final class Reauthentication {
  /** The client that re-authenticates. */
  interface Client extends ResultCallback.Receiver {
    ConnectRequest request();

    Peer peer();

    ClientAccess access();

    Security security();

    Dialect dialect();

    PacketWriter writer();

    /** Whether a client with this identity is banned. */
    boolean isBanned(ClientInfo identity);

    /** The access rights have changed, and with them the end of the identity. */
    void onIdentityChanged();

    /** Ends the client's session. */
    void fail(CloseReason reason, String detail);
  }

  private final Client client;
  private @Nullable AuthenticationExchange exchange;
  private boolean awaitingResult;

  Reauthentication(Client client) {
    this.client = client;
  }

  /**
   * Handles an AUTH packet.
   *
   * @throws io.fjordmq.broker.protocol.ProtocolViolation if the client must not send the packet now
   */
  void onAuth(MqttMessage message) {
    ConnectRequest request = client.request();
    String method = request.authenticationMethod();
    if (method == null) {
      throw AuthPacket.protocolError(
          "AUTH is not allowed, because CONNECT had no authentication method");
    }
    AuthPacket packet = AuthPacket.read(message, method);
    if (awaitingResult) {
      throw AuthPacket.protocolError(
          "AUTH must not be sent before the response to the previous AUTH");
    }
    boolean begins = packet.reasonCode() == AuthPacket.REAUTHENTICATE;
    if (begins != (exchange == null)) {
      throw AuthPacket.protocolError(
          begins
              ? "AUTH 0x19 must not be sent within an exchange"
              : "AUTH 0x18 must not be sent outside an exchange");
    }
    AuthenticationExchange current = begins ? begin(method) : exchange;
    if (current == null) {
      throw new IllegalStateException(
          "the authentication method is no longer registered: " + method);
    }
    exchange = current;
    awaitingResult = true;
    client.whenDoneUnlessEnded(
        current.next(packet.data()),
        (connectAdmission, error) -> onDecision(method, connectAdmission));
  }

  private @Nullable AuthenticationExchange begin(String method) {
    return client
        .security()
        .exchange(
            method, ConnectAttempts.of(client.request(), client.peer()), client.access().client());
  }

  private void onDecision(String method, @Nullable ConnectAdmission connectAdmission) {
    awaitingResult = false;
    if (connectAdmission instanceof Challenge more) {
      send(new AuthPacket(AuthPacket.CONTINUE, method, more.data()));
      return;
    }
    close();
    if (connectAdmission instanceof Admitted admitted) {
      client.access().onReauthenticated(admitted);
      client.onIdentityChanged();
      // After the change: a search for clients to disconnect that runs now checks the identity that
      // it finds, so a check before the change could miss a ban or a change of the user.
      String fault = client.access().identityFault();
      if (client.isBanned(admitted.client())) {
        client.fail(CloseReason.BANNED, Session.BANNED);
      } else if (fault != null) {
        client.fail(CloseReason.ADMINISTRATIVE_ACTION, fault);
      } else {
        send(new AuthPacket(AuthPacket.SUCCESS, method, admitted.data()));
      }
    } else if (connectAdmission instanceof Refused refused) {
      CloseReason reason = closeReasonOf(refused.refusal());
      String text = refused.reasonString();
      client.fail(reason, text.isEmpty() ? reason.label() : text);
    } else {
      client.fail(CloseReason.INTERNAL_ERROR, "internal error");
    }
  }

  private void send(AuthPacket packet) {
    if (packet.sizeBytes() > client.dialect().maxPacketBytes()) {
      client.fail(
          CloseReason.PACKET_TOO_LARGE, "AUTH would exceed the client's maximum packet size");
      return;
    }
    client.writer().write(packet.toMessage());
    client.writer().flush();
  }

  /**
   * Returns the reason for the DISCONNECT, which has fewer reason codes than CONNACK (MQTT 5.0
   * §3.14.2.1).
   */
  private static CloseReason closeReasonOf(ConnectAdmission.Refusal refusal) {
    return switch (refusal) {
      case SERVER_BUSY, SERVER_UNAVAILABLE -> CloseReason.SERVER_BUSY;
      case CONNECTION_RATE_EXCEEDED -> CloseReason.CONNECTION_RATE_EXCEEDED;
      case QUOTA_EXCEEDED -> CloseReason.QUOTA_EXCEEDED;
      case USE_ANOTHER_SERVER -> CloseReason.USE_ANOTHER_SERVER;
      case BAD_USER_NAME_OR_PASSWORD,
          NOT_AUTHORIZED,
          BANNED,
          BAD_AUTHENTICATION_METHOD,
          CLIENT_IDENTIFIER_NOT_VALID ->
          CloseReason.NOT_AUTHORIZED;
    };
  }

  /** Closes the exchange after its outcome is known or the session has ended. */
  void close() {
    if (exchange != null) {
      exchange.close();
      exchange = null;
    }
  }
}
