package io.fjordmq.broker.delivery;

import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.nodes.NodeItem;
import io.fjordmq.broker.nodes.NodeStream;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.inbox.ConnectOrder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connected clients of this node by client identifier; decides takeovers. Thread-safe.
 *
 * <p>A connection registers before it accesses the state of its session and stays registered until
 * it has returned that state and is closed; the next connection of the same client waits until the
 * state is returned.
 */
public final class SessionRegistry {
  private record Key(String tenant, String clientId) {}

  /** The registration of one connection; ends with {@link #release}. */
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

    /** Sets the connect order; returns whether the client has connected elsewhere later. */
    private synchronized boolean setConnectOrder(ConnectOrder connectOrder) {
      ownOrder = connectOrder;
      return latestOrderElsewhere.compareTo(connectOrder) > 0;
    }

    /** The client has connected elsewhere; returns whether that was later than this connection. */
    private synchronized boolean onConnectedElsewhere(ConnectOrder other) {
      if (other.compareTo(latestOrderElsewhere) > 0) {
        latestOrderElsewhere = other;
      }
      return !ownOrder.equals(ConnectOrder.NONE) && ownOrder.compareTo(other) < 0;
    }

    /**
     * Completes when the older connection of the client, if there was one, has returned its state.
     */
    public CompletableFuture<Void> previousReleased() {
      return previousReleased;
    }
  }

  private final ConcurrentHashMap<Key, Registration> sessions = new ConcurrentHashMap<>();
  private final NodeStreams nodes;

  /**
   * @param nodes streams to the other nodes, which are notified of connects
   */
  public SessionRegistry(NodeStreams nodes) {
    this.nodes = nodes;
  }

  /** False while another node could not be notified of connects because its stream is full. */
  public boolean hasCapacity() {
    return nodes.canAcceptNotices();
  }

  /**
   * Sets the order of this CONNECT among those of the client on all nodes: an older connection at
   * another node is closed there, and this one is closed if it is the older one.
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

  /** The client has connected to another node: its connection here is closed if it is older. */
  void onConnectedElsewhere(String tenant, String clientId, ConnectOrder connectOrder) {
    Registration here = sessions.get(new Key(tenant, clientId));
    if (here != null && here.onConnectedElsewhere(connectOrder)) {
      here.session.eventLoop().execute(here.session::onTakenOver);
    }
  }

  /**
   * Makes this the client's connection and calls {@link LiveSession#onTakenOver} on an older one.
   */
  public Registration register(LiveSession session) {
    Key key = new Key(session.tenant(), session.clientId());
    Registration[] older = new Registration[1];
    Registration registration =
        sessions.compute(
            key,
            (k, present) -> {
              older[0] = present;
              return new Registration(
                  session,
                  present == null ? CompletableFuture.completedFuture(null) : present.released);
            });
    if (older[0] != null) {
      LiveSession superseded = older[0].session;
      superseded.eventLoop().execute(superseded::onTakenOver);
    }
    return registration;
  }

  /** The connection has returned its state, but it is not closed yet. */
  public void onStateReturned(Registration registration) {
    registration.released.complete(null);
  }

  /** The connection has returned its state and is closed. Further calls have no effect. */
  public void release(Registration registration) {
    LiveSession session = registration.session;
    sessions.remove(new Key(session.tenant(), session.clientId()), registration);
    registration.released.complete(null);
  }

  /** The client's connection on this node; null if there is none. */
  public @Nullable LiveSession find(String tenant, String clientId) {
    Registration registration = sessions.get(new Key(tenant, clientId));
    return registration == null ? null : registration.session;
  }

  /** Calls back for each connection; those opened or closed meanwhile may be missed. */
  void forEach(Consumer<LiveSession> action) {
    sessions.values().forEach(registration -> action.accept(registration.session));
  }

  /** Number of connected clients. */
  public int size() {
    return sessions.size();
  }
}
