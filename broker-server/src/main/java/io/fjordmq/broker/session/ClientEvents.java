package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Peer;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.List;

/** Receives events when clients connect and disconnect. Called on event loops; must not block. */
public interface ClientEvents {
  /** Ignores all events. */
  ClientEvents NONE = new ClientEvents() {};

  /** Returns a listener that passes events to all given ones; NONE if there are none. */
  static ClientEvents of(List<ClientEvents> listeners) {
    List<ClientEvents> all = List.copyOf(listeners);
    if (all.isEmpty()) {
      return NONE;
    }
    return new ClientEvents() {
      @Override
      public void onConnected(Client client) {
        all.forEach(listener -> listener.onConnected(client));
      }

      @Override
      public void onDisconnected(Client client, CloseReason reason, long nowMillis) {
        all.forEach(listener -> listener.onDisconnected(client, reason, nowMillis));
      }
    };
  }

  /**
   * A connected client.
   *
   * @param port the local TCP port of the connection; 0 if it does not use TCP
   */
  record Client(
      String tenant, ConnectRequest request, Peer peer, int port, long connectedAtMillis) {

    static Client of(
        String tenant, ConnectRequest request, Channel channel, long connectedAtMillis) {
      int port = channel.localAddress() instanceof InetSocketAddress inet ? inet.getPort() : 0;
      return new Client(tenant, request, Peer.of(channel), port, connectedAtMillis);
    }
  }

  /** A client has connected: it has been sent the CONNACK. */
  default void onConnected(Client client) {}

  /** The connection of such a client has ended. */
  default void onDisconnected(Client client, CloseReason reason, long nowMillis) {}
}
