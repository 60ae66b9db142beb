package io.fjordmq.broker.events;

import org.jspecify.annotations.Nullable;

/**
 * Records what happens to clients. Thread-safe; methods neither block nor throw, and are cheap
 * enough for event loops, but not meant to be called for every message.
 */
public interface ClientHistory {
  /** Records nothing. */
  ClientHistory NONE =
      new ClientHistory() {
        @Override
        public void record(String tenant, String clientId, ClientEvent event) {}

        @Override
        public void recordUnconnected(
            @Nullable String tenant, String clientId, ClientEvent event) {}

        @Override
        public void recordIfKnown(String tenant, String clientId, ClientEvent event) {}
      };

  /** Records an event of a client that is or was connected to this node. */
  void record(String tenant, String clientId, ClientEvent event);

  /** Records that a client has connected. The connection may be asked to keep the event. */
  default void recordConnected(String tenant, String clientId, ConnectEvent connect) {
    record(tenant, clientId, connect.event());
  }

  /**
   * Records a later event of a connection.
   *
   * @param connect the connect event of the same connection, which is recorded first if it is kept
   */
  default void record(String tenant, String clientId, ConnectEvent connect, ClientEvent event) {
    record(tenant, clientId, event);
  }

  /**
   * Records an event of a client that may never have been connected to this node. Such clients can
   * only use a part of the memory, so that they do not displace clients that were connected.
   *
   * @param tenant null if the client was not authenticated
   */
  void recordUnconnected(@Nullable String tenant, String clientId, ClientEvent event);

  /**
   * Records an event only if there are events of the client already. The client does not count as
   * recently seen because of it. For events that can concern any number of clients at once.
   */
  void recordIfKnown(String tenant, String clientId, ClientEvent event);
}
