package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;
import org.jspecify.annotations.Nullable;

/**
 * Reports to metrics, client events, plugins, the log and the client's history that a client has
 * connected or disconnected.
 */
final class ConnectionReports {
  private final Connection connection;
  private ClientEvents.@Nullable Client client;

  ConnectionReports(Connection connection) {
    this.connection = connection;
  }

  void reportConnected(boolean isPersistent, boolean sessionPresent) {
    connection.history().recordConnected(sessionPresent);
    ClientLog.connected(connection, sessionPresent);
    connection.observer().onConnected(connection.request().protocolLevel(), isPersistent);
    ClientEvents events = connection.services().events();
    if (events != ClientEvents.NONE) {
      client =
          ClientEvents.Client.of(
              connection.tenant(),
              connection.request(),
              connection.channel(),
              connection.nowMillis());
      events.onConnected(client);
    }
    connection.events().connected(connection.access().client());
  }

  /** Reports that the client was refused before it was connected. */
  void reportRefused(CloseReason reason, String detail) {
    connection.history().recordRefused(reason, detail);
    connection.observer().onRefused(reason);
  }

  /**
   * Reports that a connected client has disconnected.
   *
   * @param connectedMillis how long it was connected
   */
  void reportDisconnected(CloseReason reason, String detail, long connectedMillis) {
    connection.history().recordDisconnected(reason, detail);
    ClientLog.disconnected(connection, reason, detail, connectedMillis);
    connection.observer().onDisconnected(reason);
    if (client != null) {
      connection.services().events().onDisconnected(client, reason, connection.nowMillis());
    }
    connection.events().disconnected(connection.access().client(), reason.label());
  }
}
