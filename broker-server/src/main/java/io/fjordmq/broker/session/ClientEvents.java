package io.fjordmq.broker.session;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;

/** Told when clients come and go. Called on event loops; must not block. */
public interface ClientEvents {
  /** Nobody listens. */
  ClientEvents NONE = new ClientEvents() {};

  /**
   * A connected client.
   *
   * @param port of the listener it came to; 0 if it is none of TCP
   */
  record Client(
      String tenant, ConnectRequest request, Peer peer, int port, long connectedAtMillis) {

    static Client of(Connection connection) {
      Channel channel = connection.channel();
      int port = channel.localAddress() instanceof InetSocketAddress inet ? inet.getPort() : 0;
      return new Client(
          connection.tenant(),
          connection.request(),
          connection.peer(),
          port,
          connection.nowMillis());
    }
  }

  /** It was accepted. */
  default void connected(Client client) {}

  /** Its connection has ended. */
  default void disconnected(Client client, CloseReason reason, long nowMillis) {}
}
