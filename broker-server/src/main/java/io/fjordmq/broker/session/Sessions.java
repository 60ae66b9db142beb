package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.fjordmq.broker.limits.Overload;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** All sessions of this node, including those that are connecting or ending. Thread-safe. */
public final class Sessions {
  private final SessionServices services;
  private final Set<Session> alive = ConcurrentHashMap.newKeySet();
  private final Set<Session> sentAway = ConcurrentHashMap.newKeySet();
  private final ConcurrentHashMap<EventLoop, TimeoutWheel> wheels = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<EventLoop, SliceQueue> queues = new ConcurrentHashMap<>();

  /** Far below the queue limit of a range client; enough for several of the largest log entries. */
  private static final int RESUMED_AT_ONCE = 4_000;

  static final String LEAVING = "node draining; use another server";

  private volatile @Nullable CompletableFuture<Void> shutDownDone;
  private volatile @Nullable String serverReference;

  /** Completes when all sessions have ended with the node's incarnation; null before that. */
  private volatile @Nullable CompletableFuture<Void> incarnationEnded;

  private final PausedClients pausedClients;
  private final ResumeQueue resumes = new ResumeQueue(RESUMED_AT_ONCE);

  /** Sessions that {@link #sendElsewhere} still has to end; used by one thread at a time. */
  private final ArrayDeque<Session> toSendElsewhere = new ArrayDeque<>();

  public Sessions(SessionServices services) {
    this.services = services;
    this.pausedClients = new PausedClients(services.servingState());
  }

  ResumeQueue resumes() {
    return resumes;
  }

  PausedClients pausedClients() {
    return pausedClients;
  }

  /** Creates the time slices of a new connection. On its event loop. */
  public ReadSlices newSlices(Channel channel) {
    SliceQueue queue = queues.computeIfAbsent(channel.eventLoop(), SliceQueue::new);
    return new ReadSlices(channel, queue, services.observer());
  }

  /** Creates the last handler of a new connection's pipeline. */
  public ChannelHandler newConnection(ReadSlices slices) {
    return new ConnectHandler(this, slices);
  }

  /** Receives the measurements of sessions. */
  public SessionObserver observer() {
    return services.observer();
  }

  /** Whether the node is overloaded. */
  public Overload overload() {
    return services.overload();
  }

  /** The limits of tenants without limits of their own. */
  public SessionSettings settings() {
    return services.settings();
  }

  /** Number of sessions, including those that are connecting or ending. */
  public int size() {
    return alive.size();
  }

  /**
   * Refuses new clients with "use another server" (0x9C).
   *
   * @param reference Server Reference for the MQTT 5 clients that are sent away (MQTT 5.0 §4.13);
   *     empty for none
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
   * After {@link #leave}: sends up to {@code atMost} more clients away, in no particular order.
   * Clients of earlier calls do not count, even if their sessions are still ending.
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
   * Ends all sessions with 0x8B (server shutting down) and refuses new ones. Completes when all
   * have released their state: acknowledgements are committed and inboxes detached.
   */
  public CompletableFuture<Void> shutDown() {
    CompletableFuture<Void> gone = new CompletableFuture<>();
    shutDownDone = gone;
    for (Session session : alive) {
      session.eventLoop().execute(() -> endForShutDown(session));
    }
    completeIfAllGone(gone);
    return gone;
  }

  /**
   * The cluster marked this incarnation of the node DOWN: ends all sessions with 0x8B, because
   * their clients have to connect again, here or to another node. Completes when all have released
   * their state. The caller ensures that no client is served until then.
   */
  public CompletableFuture<Void> endIncarnation() {
    CompletableFuture<Void> gone = new CompletableFuture<>();
    incarnationEnded = gone;
    endAll("node marked down by the cluster; reconnect");
    completeIfAllGone(gone);
    return gone;
  }

  /**
   * This node has no valid lease, and another node can serve its clients: ends up to {@code atMost}
   * sessions as {@link #endLife} does, different ones with each call. Does not wait for their end.
   * Called by one thread at a time, like {@link #serveAgain}.
   *
   * @return how many clients were sent away
   */
  public int sendElsewhere(int atMost) {
    if (toSendElsewhere.isEmpty()) {
      alive.stream().sorted(Comparator.comparing(Session::clientId)).forEach(toSendElsewhere::add);
    }
    int count = 0;
    while (count < atMost && !toSendElsewhere.isEmpty()) {
      Session session = toSendElsewhere.remove();
      if (alive.contains(session)) {
        count++;
        end(session, "node lease expired; use another server");
      }
    }
    return count;
  }

  /** The node has a valid lease again: paused clients continue. */
  public void resumeServing() {
    toSendElsewhere.clear();
    pausedClients.release();
  }

  /** In an order that a simulated run can repeat. */
  private void endAll(String detail) {
    alive.stream()
        .sorted(Comparator.comparing(Session::clientId))
        .forEach(session -> end(session, detail));
  }

  private static void end(Session session, String detail) {
    session.eventLoop().execute(() -> session.end(CloseReason.NODE_DOWN, detail));
  }

  private void completeIfAllGone(@Nullable CompletableFuture<Void> waiting) {
    if (waiting != null && alive.isEmpty()) {
      waiting.complete(null);
    }
  }

  /**
   * Ends sessions that have pending data and whose clients have read nothing since the last call,
   * to free their memory. Any thread.
   */
  public void endStuck() {
    for (Session session : alive) {
      session.eventLoop().execute(session::endIfStuck);
    }
  }

  boolean isShuttingDown() {
    return shutDownDone != null;
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
    session.end(CloseReason.SERVER_SHUTTING_DOWN, "server shutting down");
  }

  void release(Session session) {
    services.registry().release(session.registration());
    services.tenants().quota(session.tenant()).release();
    alive.remove(session);
    sentAway.remove(session);
    completeIfAllGone(shutDownDone);
    completeIfAllGone(incarnationEnded);
  }
}
