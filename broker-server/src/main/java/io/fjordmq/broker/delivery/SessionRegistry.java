package io.fjordmq.broker.delivery;

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
 * <p>A connection registers before it touches its session's state and stays registered until its
 * state is given back, so that the next one of the same client waits for it.
 */
public final class SessionRegistry {
  private record Key(String tenant, String clientId) {}

  /** One connection's place; given back with {@link #release}. */
  public static final class Registration {
    private final LiveSession session;
    private final CompletableFuture<Void> olderGone;
    private final CompletableFuture<Void> gone = new CompletableFuture<>();

    // Guarded by this.
    private ConnectOrder own = ConnectOrder.NONE;
    private ConnectOrder elsewhere = ConnectOrder.NONE;

    private Registration(LiveSession session, CompletableFuture<Void> olderGone) {
      this.session = session;
      this.olderGone = olderGone;
    }

    /** The place of its CONNECT is known; returns whether a later one has come elsewhere. */
    private synchronized boolean claimed(ConnectOrder connectOrder) {
      own = connectOrder;
      return elsewhere.compareTo(connectOrder) > 0;
    }

    /** The client has connected elsewhere; returns whether that came later than this. */
    private synchronized boolean isBefore(ConnectOrder other) {
      if (other.compareTo(elsewhere) > 0) {
        elsewhere = other;
      }
      return !own.equals(ConnectOrder.NONE) && own.compareTo(other) < 0;
    }

    /**
     * Completes when the older connection of the client, if there was one, has given its state
     * back.
     */
    public CompletableFuture<Void> olderGone() {
      return olderGone;
    }
  }

  private final ConcurrentHashMap<Key, Registration> sessions = new ConcurrentHashMap<>();
  private final NodeStreams nodes;

  /** Of a node that has no others. */
  /**
   * @param nodes are told who connects here
   */
  public SessionRegistry(NodeStreams nodes) {
    this.nodes = nodes;
  }

  /** False while so much waits for another node that it could not be told who connects here. */
  public boolean hasRoom() {
    return nodes.hasRoomForNotices();
  }

  /**
   * The client's CONNECT has this place among all of the client, wherever they came: an older
   * connection at another node is closed there, and this one if it is the older one.
   */
  public void claimed(Registration registration, ConnectOrder connectOrder) {
    LiveSession session = registration.session;
    boolean isOld = registration.claimed(connectOrder);
    for (NodeStream stream : nodes.all()) {
      stream.notice(new NodeItem.Connected(session.tenant(), session.clientId(), connectOrder));
    }
    if (isOld) {
      session.eventLoop().execute(session::takenOver);
    }
  }

  /** The client has connected to another node: its connection here is closed if it is older. */
  void connectedElsewhere(String tenant, String clientId, ConnectOrder connectOrder) {
    Registration here = sessions.get(new Key(tenant, clientId));
    if (here != null && here.isBefore(connectOrder)) {
      here.session.eventLoop().execute(here.session::takenOver);
    }
  }

  /** Makes this the client's connection. An older one is told {@link LiveSession#takenOver}. */
  public Registration register(LiveSession session) {
    Key key = new Key(session.tenant(), session.clientId());
    Registration[] older = new Registration[1];
    Registration mine =
        sessions.compute(
            key,
            (k, present) -> {
              older[0] = present;
              return new Registration(
                  session,
                  present == null ? CompletableFuture.completedFuture(null) : present.gone);
            });
    if (older[0] != null) {
      LiveSession loser = older[0].session;
      loser.eventLoop().execute(loser::takenOver);
    }
    return mine;
  }

  /** The connection has given its state back. Further calls do nothing. */
  public void release(Registration registration) {
    LiveSession session = registration.session;
    sessions.remove(new Key(session.tenant(), session.clientId()), registration);
    registration.gone.complete(null);
  }

  /** The client's connection on this node; null if there is none. */
  public @Nullable LiveSession find(String tenant, String clientId) {
    Registration registration = sessions.get(new Key(tenant, clientId));
    return registration == null ? null : registration.session;
  }

  /** Every connection that is there all the while. */
  void forEach(Consumer<LiveSession> action) {
    sessions.values().forEach(registration -> action.accept(registration.session));
  }

  /** Connected clients. */
  public int size() {
    return sessions.size();
  }
}
