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

/** All sessions of this node, from the first byte of the client to the end. Thread-safe. */
public final class Sessions {
  private final SessionServices services;
  private final Set<Session> alive = ConcurrentHashMap.newKeySet();
  private final Set<Session> sentAway = ConcurrentHashMap.newKeySet();
  private final ConcurrentHashMap<EventLoop, TimeoutWheel> wheels = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<EventLoop, SliceQueue> queues = new ConcurrentHashMap<>();

  /** Far below what a range client queues, and several of the largest log entries. */
  private static final int RESUMED_AT_ONCE = 4_000;

  static final String LEAVING = "this node is going to stop; use another";

  private volatile @Nullable CompletableFuture<Void> allGone;
  private volatile @Nullable String serverReference;

  /** Waits for the end of all sessions while a life of the node ends; null at other times. */
  private volatile @Nullable CompletableFuture<Void> lifeEnded;

  private final PausedClients held;
  private final ResumeQueue resumes = new ResumeQueue(RESUMED_AT_ONCE);

  /** Sessions still to be sent elsewhere; used by one thread at a time. */
  private final ArrayDeque<Session> leaving = new ArrayDeque<>();

  public Sessions(SessionServices services) {
    this.services = services;
    this.held = new PausedClients(services.servingState());
  }

  ResumeQueue resumes() {
    return resumes;
  }

  PausedClients held() {
    return held;
  }

  /** How what a new connection sends is cut into slices. On its event loop. */
  public ReadSlices newSlices(Channel channel) {
    SliceQueue queue = queues.computeIfAbsent(channel.eventLoop(), SliceQueue::new);
    return new ReadSlices(channel, queue, services.observer());
  }

  /** The last handler of a new connection's pipeline. */
  public ChannelHandler newConnection(ReadSlices slices) {
    return new ConnectHandler(this, slices);
  }

  /** What sessions tell the metrics. */
  public SessionObserver observer() {
    return services.observer();
  }

  /** Whether new work and new connections are taken. */
  public Overload overload() {
    return services.overload();
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
   * Another node can serve the clients of this one, which has no valid lease: some sessions end as
   * in {@link #endLife}, others with each call. Does not wait for their end. Called by one thread
   * at a time, as {@link #serveAgain} is.
   *
   * @return how many clients were sent away
   */
  public int sendElsewhere(int atMost) {
    if (leaving.isEmpty()) {
      alive.stream().sorted(Comparator.comparing(Session::clientId)).forEach(leaving::add);
    }
    int told = 0;
    while (told < atMost && !leaving.isEmpty()) {
      Session session = leaving.remove();
      if (alive.contains(session)) {
        told++;
        end(session, "this node has lost its lease; use another");
      }
    }
    return told;
  }

  /** The node has a valid lease: clients that were held go on. */
  public void serveAgain() {
    leaving.clear();
    held.release();
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
