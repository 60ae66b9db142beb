package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Will;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.events.Denial;
import io.fjordmq.broker.protocol.AuthPacket;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.security.AuthenticationExchange;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Challenge;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import io.fjordmq.broker.security.Security;
import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates a CONNECT and authorizes its will. Authentication takes one step, or an exchange of
 * AUTH packets if the client names an authentication method (MQTT 5.0 §4.12). Only used on the
 * event loop.
 */
final class ConnectAuthentication {
  /** The client identifiers of clients that the transport has authenticated. */
  private static final String OPERATOR_CLIENT_PREFIX = "web-";

  /** Receives the outcome of the authentication. */
  interface Listener {
    /**
     * A challenge was sent. The listener must resume reading, because the client has to send
     * another AUTH packet.
     */
    void onChallenge();

    /**
     * The client may connect.
     *
     * @param data the Authentication Data for the CONNACK; empty for none
     */
    void onAdmitted(ClientAccess access, byte[] data);

    /**
     * The client has proved its identity.
     *
     * @param decidedBy the name of the provider
     */
    void onAuthenticated(ClientInfo client, String decidedBy);

    /** The client must not connect. */
    void onRefused(CloseReason reason, String detail, Denial denial);
  }

  private final Channel channel;
  private final ConnectRequest request;
  private final Security security;
  private final Listener listener;
  private @Nullable AuthenticationExchange exchange;
  private boolean waitingForClient;

  ConnectAuthentication(
      Channel channel, ConnectRequest request, Security security, Listener listener) {
    this.channel = channel;
    this.request = request;
    this.security = security;
    this.listener = listener;
  }

  void begin() {
    Peer peer = Peer.of(channel);
    ConnectAttempt attempt = ConnectAttempts.of(request, peer);
    Identity known = peer.identity();
    if (known != null) {
      admitKnown(attempt, known);
      return;
    }
    if (attempt.certificate() == null || !security.checksRevocation()) {
      authenticate(attempt);
      return;
    }
    ResultCallback.invokeOn(
        channel.eventLoop(),
        security.refuseIfRevoked(attempt, peer.issuers(), () -> !channel.isActive()),
        (refused, error) -> {
          if (refused != null && refused.isEmpty()) {
            authenticate(attempt);
          } else {
            onDecision(refused == null ? null : refused.get(), error);
          }
        });
  }

  private void authenticate(ConnectAttempt attempt) {
    String method = request.authenticationMethod();
    if (method == null) {
      whenDecided(security.admit(attempt, () -> !channel.isActive()));
      return;
    }
    Refused refused = security.refuseMethod(method, attempt);
    AuthenticationExchange started = security.exchange(method, attempt, null);
    if (refused != null || started == null) {
      onDecision(refused, null);
      return;
    }
    exchange = started;
    byte[] data = request.authenticationData();
    whenDecided(started.next(data == null ? AuthPacket.NO_DATA : data));
  }

  /** Admits a client of an operator, unless it could take over the session of another client. */
  private void admitKnown(ConnectAttempt attempt, Identity identity) {
    if (request.assignedClientId() || request.clientId().startsWith(OPERATOR_CLIENT_PREFIX)) {
      onDecision(Security.admitKnown(attempt, identity), null);
    } else {
      String detail =
          "client identifiers of operators must begin with '" + OPERATOR_CLIENT_PREFIX + "'";
      listener.onRefused(
          CloseReason.CLIENT_IDENTIFIER_NOT_VALID,
          detail,
          new Denial(attempt.listener(), "", detail));
    }
  }

  private void whenDecided(CompletableFuture<ConnectAdmission> decision) {
    ResultCallback.invokeOn(channel.eventLoop(), decision, this::onDecision);
  }

  private void onDecision(@Nullable ConnectAdmission connectAdmission, @Nullable Throwable error) {
    String method = request.authenticationMethod();
    if (connectAdmission instanceof Challenge more && method != null) {
      sendChallenge(new AuthPacket(AuthPacket.CONTINUE, method, more.data()));
      return;
    }
    close();
    if (connectAdmission instanceof Admitted admitted) {
      listener.onAuthenticated(admitted.client(), admitted.decidedBy());
      ClientAccess access = security.accessOf(admitted);
      ResultCallback.invokeOn(
          channel.eventLoop(),
          authorizeWill(access),
          (accessDecision, failure) -> onWillDecision(access, admitted.data(), accessDecision));
    } else if (connectAdmission instanceof Refused refused) {
      CloseReason reason = ConnectAttempts.closeReasonOf(refused.refusal());
      // The client does not get the details, because they would help an attacker guess credentials.
      String text = refused.reasonString();
      listener.onRefused(
          reason,
          text.isEmpty() ? reason.label() : text,
          new Denial(refused.decidedBy(), "", refused.detail()));
    } else {
      String detail = "authentication failed: " + error;
      listener.onRefused(CloseReason.UNSPECIFIED_ERROR, detail, Denial.of(detail));
    }
  }

  private CompletableFuture<AccessDecision> authorizeWill(ClientAccess access) {
    Will will = request.will();
    if (will == null) {
      return access.allowed();
    }
    Message message = will.message();
    return access.mayPublishWill(
        new Action.Publish(message.topic(), message.qos(), message.retain(), true));
  }

  private void onWillDecision(ClientAccess access, byte[] data, @Nullable AccessDecision will) {
    if (will == null || !will.allowed()) {
      String detail = "not authorized to publish the will";
      Denial denial = will == null ? Denial.NONE : will.denial();
      listener.onRefused(
          CloseReason.NOT_AUTHORIZED, detail, new Denial(denial.provider(), denial.rule(), detail));
    } else {
      listener.onAdmitted(access, data);
    }
  }

  private void sendChallenge(AuthPacket packet) {
    if (packet.sizeBytes() > request.maxPacketBytes()) {
      close();
      String detail = "AUTH would exceed the client's maximum packet size";
      listener.onRefused(CloseReason.PACKET_TOO_LARGE, detail, Denial.of(detail));
      return;
    }
    waitingForClient = true;
    channel.writeAndFlush(packet.toMessage());
    listener.onChallenge();
  }

  /** Whether the next packet must be passed to {@link #onPacket}. */
  boolean isWaitingForClient() {
    return waitingForClient;
  }

  /**
   * Handles a packet that the client sent during an AUTH exchange.
   *
   * @throws ProtocolViolation if the client must not send this packet before the CONNACK
   *     (MQTT-3.1.2-30)
   */
  void onPacket(MqttMessage message) {
    MqttMessageType type = message.fixedHeader().messageType();
    AuthenticationExchange current = exchange;
    String method = request.authenticationMethod();
    if (type == MqttMessageType.DISCONNECT) {
      throw new ProtocolViolation(CloseReason.CLIENT_DISCONNECT, "DISCONNECT received");
    }
    if (type != MqttMessageType.AUTH || current == null || method == null) {
      throw AuthPacket.protocolError(type + " must not be sent before the CONNACK");
    }
    AuthPacket packet = AuthPacket.read(message, method);
    if (packet.reasonCode() != AuthPacket.CONTINUE) {
      throw AuthPacket.protocolError("AUTH 0x19 must not be sent before the CONNACK");
    }
    waitingForClient = false;
    whenDecided(current.next(packet.data()));
  }

  /**
   * Closes the AUTH exchange, if there is one. Called when the outcome is known or the connection
   * has ended.
   */
  void close() {
    if (exchange != null) {
      exchange.close();
      exchange = null;
    }
  }
}
