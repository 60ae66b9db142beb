package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** All sessions of this node, from the first byte of the client to the end. Thread-safe. */
public final class Sessions {
  private final SessionServices services;
  private final Set<Session> alive = ConcurrentHashMap.newKeySet();
  private final ConcurrentHashMap<EventLoop, TimeoutWheel> wheels = new ConcurrentHashMap<>();
  private volatile @Nullable CompletableFuture<Void> allGone;

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
   * Ends all sessions with 0x8B (server shutting down); new ones are refused. Completes when all
   * have given back what they held: acknowledgements are committed and inboxes detached.
   */
  public CompletableFuture<Void> shutDown() {
    CompletableFuture<Void> gone = new CompletableFuture<>();
    allGone = gone;
    for (Session session : alive) {
      session.eventLoop().execute(() -> endForShutDown(session));
    }
    if (alive.isEmpty()) {
      gone.complete(null);
    }
    return gone;
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
    CompletableFuture<Void> gone = allGone;
    if (gone != null && alive.isEmpty()) {
      gone.complete(null);
    }
  }
}
