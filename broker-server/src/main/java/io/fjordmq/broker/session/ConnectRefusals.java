package io.fjordmq.broker.session;

import io.fjordmq.broker.events.ClientHistory;
import io.fjordmq.broker.events.Denial;
import io.fjordmq.broker.events.Refused;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Peer;
import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import org.jspecify.annotations.Nullable;

/**
 * Records in the history of a client that its CONNECT was refused before it had a session. Learns
 * about the client while its CONNECT is handled. Only used on the event loop.
 */
final class ConnectRefusals {
  private final ClientHistory history;
  private @Nullable String clientId;
  private @Nullable String userName;
  private @Nullable String tenant;

  ConnectRefusals(ClientHistory history) {
    this.history = history;
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

  /** Records the refusal, if the client has an identifier. */
  void record(Channel channel, CloseReason reason, Denial denial) {
    if (clientId == null || clientId.isEmpty()) {
      return;
    }
    Peer peer = Peer.of(channel);
    history.recordUnconnected(
        tenant,
        clientId,
        new Refused(
            peer.displayName(),
            peer.listener(),
            userName,
            reason.label(),
            reason.reasonCode(),
            denial));
  }
}
