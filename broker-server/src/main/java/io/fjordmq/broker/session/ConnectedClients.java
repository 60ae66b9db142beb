package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.events.ConnectEvent;
import io.fjordmq.inbox.SessionPosition;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The clients connected to this node, for operators. Thread-safe. */
public final class ConnectedClients {
  private final SessionRegistry registry;

  public ConnectedClients(SessionRegistry registry) {
    this.registry = registry;
  }

  /**
   * Visits clients in order; see {@link SessionRegistry#scan}.
   *
   * @param visitor returns false to end the scan before the client
   */
  public SessionPosition scan(
      SessionPosition from,
      @Nullable String tenant,
      int maxVisited,
      Predicate<ConnectedClient> visitor) {
    return registry.scan(
        from,
        tenant,
        maxVisited,
        live -> !(live instanceof Session session) || visitor.test(new SessionView(session)));
  }

  /** Returns a client; null if it is not connected to this node. */
  public @Nullable ConnectedClient find(String tenant, String clientId) {
    LiveSession live = registry.find(tenant, clientId);
    return live instanceof Session session ? new SessionView(session) : null;
  }

  /** Returns the connect event of a client; null if it is not connected to this node. */
  public @Nullable ConnectEvent connectEvent(String tenant, String clientId) {
    LiveSession live = registry.find(tenant, clientId);
    return live instanceof Session session ? session.connection().history() : null;
  }

  /** The number of connected clients. */
  public int size() {
    return registry.size();
  }
}
