package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** All sessions of this node, from the first byte of the client to the end. Thread-safe. */
public final class Sessions {
  private final SessionServices services;
  private final Set<Session> alive = ConcurrentHashMap.newKeySet();
  private final Set<Session> sentAway = ConcurrentHashMap.newKeySet();
  private final ConcurrentHashMap<EventLoop, TimeoutWheel> wheels = new ConcurrentHashMap<>();
  static final String LEAVING = "this node is going to stop; use another";

  private volatile @Nullable CompletableFuture<Void> allGone;
  private volatile @Nullable String serverReference;

  /** Waits for the end of all sessions while a life of the node ends; null at other times. */
  private volatile @Nullable CompletableFuture<Void> lifeEnded;

  public Sessions(SessionServices services) {
    this.services = services;
  }

  /** The last handler of a new connection's pipeline. */
  public ChannelHandler newConnection() {
    return new ConnectHandler(this);
  }

  /** What sessions tell the metrics. */
  public SessionObserver observer() {
    return services.observer();
  }

  /** Limits. */
  public SessionSettings settings() {
    return services.settings();
  }

  /** Sessions that hold something, those that are just connecting or ending included. */
  public int size() {
    return alive.size();
  }

  /**
   * Takes no clients any more: those who come are told to use another server (0x9C).
   *
   * @param reference where those who are there should go, as MQTT 5 clients are told it (MQTT 5.0
   *     §4.13); empty for wherever they know of
   */
  public void leave(String reference) {
    serverReference = reference;
  }

  boolean isLeaving() {
    return serverReference != null;
  }

  String serverReference() {
    String reference = serverReference;
    return reference == null ? "" : reference;
  }

  /**
   * After {@link #leave}: sends some clients away, others than those of earlier calls that have not
   * given everything back yet. Which ones is nobody's choice.
   */
  public void sendAway(int atMost) {
    int left = atMost;
    for (Session session : alive) {
      if (left == 0) {
        return;
      }
      if (sentAway.add(session)) {
        left--;
        session.eventLoop().execute(() -> session.end(CloseReason.USE_ANOTHER_SERVER, LEAVING));
      }
    }
  }

  /**
   * Ends all sessions with 0x8B (server shutting down); new ones are refused. Completes when all
   * have given back what they held: acknowledgements are committed and inboxes detached.
   */
  public CompletableFuture<Void> shutDown() {
    CompletableFuture<Void> gone = new CompletableFuture<>();
    allGone = gone;
    for (Session session : alive) {
      session.eventLoop().execute(() -> endForShutDown(session));
    }
    completeIfAllGone(gone);
    return gone;
  }

  /**
   * The cluster counts this life of the node as over: all sessions end with 0x8B, as their clients
   * have to connect anew, here or elsewhere. Completes when all have given back what they held. The
   * caller sees to it that no client is served meanwhile.
   */
  public CompletableFuture<Void> endLife() {
    CompletableFuture<Void> gone = new CompletableFuture<>();
    lifeEnded = gone;
    endAll("the cluster counts this node as down; come again");
    completeIfAllGone(gone);
    return gone;
  }

  /**
   * The node may serve nobody, and it is not known for how long: all sessions end as in {@link
   * #endLife}, for their clients to try other nodes. Does not wait for their end.
   */
  public void sendElsewhere() {
    endAll("this node has lost the cluster; use another");
  }

  /** In an order that a simulated run can repeat. */
  private void endAll(String detail) {
    alive.stream()
        .sorted(Comparator.comparing(Session::clientId))
        .forEach(
            session ->
                session.eventLoop().execute(() -> session.end(CloseReason.NODE_DOWN, detail)));
  }

  private void completeIfAllGone(@Nullable CompletableFuture<Void> waiting) {
    if (waiting != null && alive.isEmpty()) {
      waiting.complete(null);
    }
  }

  /**
   * Ends the sessions whose clients have read nothing since the last call though something waits
   * for them: they hold memory that others need. Any thread.
   */
  public void endStuck() {
    for (Session session : alive) {
      session.eventLoop().execute(session::endIfStuck);
    }
  }

  boolean isShuttingDown() {
    return allGone != null;
  }

  SessionServices services() {
    return services;
  }

  TimeoutWheel wheel(EventLoop loop) {
    TimeoutWheel wheel = wheels.get(loop);
    return wheel == null ? wheels.computeIfAbsent(loop, TimeoutWheel::new) : wheel;
  }

  Registration register(Session session) {
    alive.add(session);
    return services.registry().register(session);
  }

  static void endForShutDown(Session session) {
    session.end(CloseReason.SERVER_SHUTTING_DOWN, "the server is shutting down");
  }

  void release(Session session) {
    services.registry().release(session.registration());
    services.tenants().quota(session.tenant()).release();
    alive.remove(session);
    sentAway.remove(session);
    completeIfAllGone(allGone);
    completeIfAllGone(lifeEnded);
  }
}
