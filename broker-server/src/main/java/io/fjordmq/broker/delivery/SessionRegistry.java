package io.fjordmq.broker.delivery;

import io.fjordmq.broker.delivery.ClientIndex.Key;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.nodes.NodeItem;
import io.fjordmq.broker.nodes.NodeStream;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.SessionPosition;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The clients connected to this node, by client identifier. Decides which connection wins a
 * takeover. Thread-safe.
 *
 * <p>A connection registers before it accesses its session state, and stays registered until it has
 * released that state and is closed. The client's next connection waits until the state has been
 * released.
 */
public final class SessionRegistry {
  /** The registration of one connection; ends with {@link #unregister}. */
  public static final class Registration {
    private final LiveSession session;
    private final CompletableFuture<Void> previousReleased;
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    // Guarded by this.
    private ConnectOrder ownOrder = ConnectOrder.NONE;
    private ConnectOrder latestOrderElsewhere = ConnectOrder.NONE;

    private Registration(LiveSession session, CompletableFuture<Void> previousReleased) {
      this.session = session;
      this.previousReleased = previousReleased;
    }

    /** Sets the connect order; returns whether the client has since connected to another node. */
    private synchronized boolean setConnectOrder(ConnectOrder connectOrder) {
      ownOrder = connectOrder;
      return latestOrderElsewhere.compareTo(connectOrder) > 0;
    }

    /**
     * Records that the client has connected to another node; returns whether that connection is
     * later than this one.
     */
    private synchronized boolean onConnectedElsewhere(ConnectOrder other) {
      if (other.compareTo(latestOrderElsewhere) > 0) {
        latestOrderElsewhere = other;
      }
      return !ownOrder.equals(ConnectOrder.NONE) && ownOrder.compareTo(other) < 0;
    }

    LiveSession session() {
      return session;
    }

    /** Completes once this connection has released its state. */
    public CompletableFuture<Void> stateReleased() {
      return released.copy();
    }

    /**
     * Completes once the client's previous connection, if there was one, has released its state.
     */
    public CompletableFuture<Void> previousReleased() {
      return previousReleased;
    }
  }

  private final ConcurrentHashMap<Key, Registration> sessions = new ConcurrentHashMap<>();
  private final ClientIndex inOrder = new ClientIndex();
  private final CompletableFuture<Void> nothingToRelease = CompletableFuture.completedFuture(null);
  private final NodeStreams nodes;

  /**
   * @param nodes streams to the other nodes, which are notified when a client connects
   */
  public SessionRegistry(NodeStreams nodes) {
    this.nodes = nodes;
  }

  /**
   * Whether all other nodes can be notified of a new connection; false while the stream to any of
   * them is full of notices.
   */
  public boolean hasCapacity() {
    return nodes.canAcceptNotices();
  }

  /**
   * Sets the order of this CONNECT among the client's CONNECTs on all nodes. If the client has an
   * older connection on another node, that node closes it; if this connection is the older one, it
   * is closed here.
   */
  public void setConnectOrder(Registration registration, ConnectOrder connectOrder) {
    LiveSession session = registration.session;
    boolean isSuperseded = registration.setConnectOrder(connectOrder);
    for (NodeStream stream : nodes.all()) {
      stream.sendNotice(
          new NodeItem.ConnectNotice(session.tenant(), session.clientId(), connectOrder));
    }
    if (isSuperseded) {
      session.eventLoop().execute(session::onTakenOver);
    }
  }

  /**
   * Handles the notice that the client has connected to another node: closes the client's
   * connection on this node if it is older.
   */
  void onConnectedElsewhere(String tenant, String clientId, ConnectOrder connectOrder) {
    Registration here = sessions.get(Key.named(tenant, clientId));
    if (here != null && here.onConnectedElsewhere(connectOrder)) {
      here.session.eventLoop().execute(here.session::onTakenOver);
    }
  }

  /**
   * Registers this session as the client's current connection, and calls {@link
   * LiveSession#onTakenOver} on the previous one, if any.
   */
  public Registration register(LiveSession session) {
    Key key = Key.indexed(session.tenant(), session.clientId());
    Registration[] older = new Registration[1];
    Registration registration =
        sessions.compute(
            key,
            (k, present) -> {
              older[0] = present;
              Registration added =
                  new Registration(session, present == null ? nothingToRelease : present.released);
              inOrder.put(k, added); // atomically with the other map
              return added;
            });
    if (older[0] != null) {
      LiveSession superseded = older[0].session;
      superseded.eventLoop().execute(superseded::onTakenOver);
    }
    return registration;
  }

  /** Records that the connection has released its state. The connection may still be open. */
  public void onStateReleased(Registration registration) {
    registration.released.complete(null);
  }

  /**
   * Removes a connection that has released its state and is closed. Further calls have no effect.
   */
  public void unregister(Registration registration) {
    LiveSession session = registration.session;
    sessions.computeIfPresent(
        Key.indexed(session.tenant(), session.clientId()),
        (key, present) -> {
          if (present != registration) {
            return present; // the client has connected again
          }
          inOrder.remove(key);
          return null;
        });
    registration.released.complete(null);
  }

  /** The client's connection on this node; null if there is none. */
  public @Nullable LiveSession find(String tenant, String clientId) {
    Registration registration = sessions.get(Key.named(tenant, clientId));
    return registration == null ? null : registration.session;
  }

  /**
   * Calls the action for each connection. Connections opened or closed during the iteration may be
   * missed.
   */
  void forEach(Consumer<LiveSession> action) {
    sessions.values().forEach(registration -> action.accept(registration.session));
  }

  /**
   * Visits connected clients in the order of the inbox store. Clients that connect or disconnect
   * meanwhile may be missed.
   *
   * @param tenant null for all tenants
   * @param maxVisited bound on the number of clients that are looked at
   * @param visitor returns false to end the scan before the client
   * @return where the next scan continues; {@link SessionPosition#END} if no clients are left
   */
  public SessionPosition scan(
      SessionPosition from,
      @Nullable String tenant,
      int maxVisited,
      Predicate<LiveSession> visitor) {
    return inOrder.scan(from, tenant, maxVisited, visitor);
  }

  /** The number of connected clients. */
  public int size() {
    return sessions.size();
  }
}
