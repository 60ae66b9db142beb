package io.fjordmq.broker.session;

import io.fjordmq.broker.events.ClientHistory;
import io.fjordmq.broker.events.Denial;
import io.fjordmq.broker.events.Refused;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.trace.Tracer;
import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import org.jspecify.annotations.Nullable;

/**
 * Records in the history of a client that its CONNECT was refused before it had a session. Learns
 * about the client while its CONNECT is handled. Only used on the event loop.
 */
final class ConnectRefusals {
  private final ClientHistory history;
  private final Tracer tracer;
  private @Nullable String clientId;
  private @Nullable String userName;
  private @Nullable String tenant;

  ConnectRefusals(ClientHistory history, Tracer tracer) {
    this.history = history;
    this.tracer = tracer;
  }

  /** A CONNECT has arrived, which may be invalid. */
  void onConnect(MqttConnectMessage connect) {
    clientId = connect.payload().clientIdentifier();
    userName = connect.payload().userName();
  }

  /** The CONNECT is valid. It may have an assigned client identifier. */
  void onRequest(ConnectRequest request) {
    clientId = request.clientId();
  }

  /** The client is authenticated. */
  void onAuthenticated(String clientTenant) {
    tenant = clientTenant;
  }

  /** The client identifier; null if it is not known. */
  @Nullable String clientId() {
    return clientId;
  }

  /** Records the refusal; in the history only if the client has an identifier. */
  void record(Channel channel, CloseReason reason, Denial denial) {
    boolean hasIdentifier = clientId != null && !clientId.isEmpty();
    if (!hasIdentifier && !tracer.isOn()) {
      return;
    }
    Peer peer = Peer.of(channel);
    Refused refused =
        new Refused(
            peer.displayName(),
            peer.listener(),
            userName,
            reason.label(),
            reason.reasonCode(),
            denial);
    if (clientId != null && hasIdentifier) {
      history.recordUnconnected(tenant, clientId, refused);
    }
    tracer.onEvent(tenant, clientId, peer, refused);
  }
}
