package io.fjordmq.broker.session;

import io.fjordmq.broker.security.AuthenticationExchange;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Challenge;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import io.netty.handler.codec.mqtt.MqttMessage;
import org.jspecify.annotations.Nullable;

/**
 * Re-authenticates a connected client with the method of its CONNECT (MQTT 5.0 §4.12.1). Until that
 * is complete, the client keeps its permissions and other packets are handled as usual. Event loop
 * only.
 */
final class Reauthentication {
  private final Connection connection;
  private @Nullable AuthenticationExchange exchange;
  private boolean awaitingResult;

  Reauthentication(Connection connection) {
    this.connection = connection;
  }

  /**
   * Handles an AUTH.
   *
   * @throws ProtocolViolation if the client may not send it now
   */
  void onAuth(MqttMessage message) {
    ConnectRequest request = connection.request();
    String method = request.authenticationMethod();
    if (method == null) {
      throw AuthPacket.protocolError("AUTH without an authentication method at CONNECT");
    }
    AuthPacket packet = AuthPacket.read(message, method);
    if (awaitingResult) {
      throw AuthPacket.protocolError("AUTH before the previous one was answered");
    }
    boolean begins = packet.reasonCode() == AuthPacket.AUTHENTICATE_AGAIN;
    if (begins != (exchange == null)) {
      throw AuthPacket.protocolError(
          begins ? "AUTH 0x19 within an exchange" : "AUTH 0x18 without an exchange");
    }
    AuthenticationExchange current = begins ? begin(method) : exchange;
    if (current == null) {
      throw new IllegalStateException("authentication method is no longer registered: " + method);
    }
    exchange = current;
    awaitingResult = true;
    connection.whileOpen(
        current.next(packet.data()),
        (connectAdmission, error) -> answered(method, connectAdmission));
  }

  private @Nullable AuthenticationExchange begin(String method) {
    return connection
        .services()
        .security()
        .exchange(
            method,
            ConnectAttempts.of(connection.request(), connection.peer()),
            connection.access().client());
  }

  private void answered(String method, @Nullable ConnectAdmission connectAdmission) {
    awaitingResult = false;
    if (connectAdmission instanceof Challenge more) {
      send(new AuthPacket(AuthPacket.CONTINUE, method, more.data()));
      return;
    }
    close();
    if (connectAdmission instanceof Admitted admitted) {
      connection.access().onReauthenticated(admitted.client(), admitted.permissions());
      send(new AuthPacket(AuthPacket.SUCCESS, method, admitted.data()));
    } else if (connectAdmission instanceof Refused refused) {
      CloseReason reason = reason(refused.refusal());
      connection.fail(reason, reason.label());
    } else {
      connection.fail(CloseReason.INTERNAL_ERROR, "internal error");
    }
  }

  private void send(AuthPacket packet) {
    if (packet.bytes() > connection.dialect().maxPacketBytes()) {
      connection.fail(
          CloseReason.PACKET_TOO_LARGE, "AUTH exceeds the client's maximum packet size");
      return;
    }
    connection.writer().message(packet.written());
    connection.writer().flush();
  }

  /** DISCONNECT has fewer reason codes than CONNACK (MQTT 5.0 §3.14.2.1). */
  private static CloseReason reason(ConnectAdmission.Refusal refusal) {
    return switch (refusal) {
      case SERVER_BUSY, SERVER_UNAVAILABLE -> CloseReason.SERVER_BUSY;
      case CONNECTION_RATE_EXCEEDED -> CloseReason.CONNECTION_RATE_EXCEEDED;
      case BAD_USER_NAME_OR_PASSWORD, NOT_AUTHORIZED, BANNED, BAD_AUTHENTICATION_METHOD ->
          CloseReason.NOT_AUTHORIZED;
    };
  }

  /** Ends the exchange: the outcome is known or the session has ended. */
  void close() {
    if (exchange != null) {
      exchange.close();
      exchange = null;
    }
  }
}
