package io.fjordmq.broker.session;

import io.fjordmq.broker.security.AuthenticationExchange;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Challenge;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import io.netty.handler.codec.mqtt.MqttMessage;
import org.jspecify.annotations.Nullable;

/**
 * Lets a connected client authenticate again, by the method of its CONNECT (MQTT 5.0 §4.12.1).
 * Everything else goes on meanwhile, by the rights the client had. Belongs to the event loop.
 */
final class Reauthentication {
  private final Connection connection;
  private @Nullable AuthenticationExchange exchange;
  private boolean thinking;

  Reauthentication(Connection connection) {
    this.connection = connection;
  }

  /**
   * An AUTH came in.
   *
   * @throws ProtocolViolation if it does not belong here
   */
  void onAuth(MqttMessage message) {
    ConnectRequest request = connection.request();
    String method = request.authenticationMethod();
    if (method == null) {
      throw AuthPacket.protocolError("AUTH without an authentication method at CONNECT");
    }
    AuthPacket packet = AuthPacket.read(message, method);
    if (thinking) {
      throw AuthPacket.protocolError("AUTH before the last one was answered");
    }
    boolean begins = packet.reasonCode() == AuthPacket.AUTHENTICATE_AGAIN;
    if (begins != (exchange == null)) {
      throw AuthPacket.protocolError(
          begins ? "AUTH 0x19 within an exchange" : "AUTH 0x18 without an exchange");
    }
    AuthenticationExchange under = begins ? begin(method) : exchange;
    if (under == null) {
      throw new IllegalStateException("the method " + method + " was there at CONNECT");
    }
    exchange = under;
    thinking = true;
    connection.whileOpen(
        under.next(packet.data()), (connectAdmission, error) -> answered(method, connectAdmission));
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
    thinking = false;
    if (connectAdmission instanceof Challenge more) {
      send(new AuthPacket(AuthPacket.CONTINUE, method, more.data()));
      return;
    }
    close();
    if (connectAdmission instanceof Admitted admitted) {
      connection.access().become(admitted.client(), admitted.permissions());
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
      connection.fail(CloseReason.PACKET_TOO_LARGE, "the AUTH is larger than the client takes");
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

  /** It is decided, or the session has ended. */
  void close() {
    if (exchange != null) {
      exchange.close();
      exchange = null;
    }
  }
}
