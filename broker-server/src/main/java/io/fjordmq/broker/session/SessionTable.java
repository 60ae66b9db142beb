package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.netty.channel.EventLoop;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions on this node, from registration to release, and the objects that they share: the
 * timeout wheels of the event loops, the paused clients, the queue of sessions being resumed, and
 * the log of store failures. Thread-safe.
 */
final class SessionTable implements SessionContext {
  /**
   * The capacity of the resume queue. It is far below the queue limit of a range client, but enough
   * for several log entries of maximum size.
   */
  private static final int RESUME_CAPACITY = 4_000;

  static final String DRAINING = "the node is draining; use another server";

  private final SessionServices services;
  private final PausedClients pausedClients;
  private final StoreFailureLog storeFailures = new StoreFailureLog();
  private final ResumeQueue resumeQueue = new ResumeQueue(RESUME_CAPACITY);
  private final ConcurrentHashMap<EventLoop, TimeoutWheel> wheels = new ConcurrentHashMap<>();
  private final Set<Session> liveSessions = ConcurrentHashMap.newKeySet();
  private final Set<Session> disconnectedForDrain = ConcurrentHashMap.newKeySet();
  private final HeldConnections heldConnections = new HeldConnections();
  private volatile @Nullable String serverReference;
  private volatile @Nullable CompletableFuture<Void> shutDownDone;

  /**
   * Completes when all sessions have ended with the node's incarnation; null if the incarnation has
   * not ended.
   */
  private volatile @Nullable CompletableFuture<Void> incarnationEnded;

  SessionTable(SessionServices services) {
    this.services = services;
    this.pausedClients = new PausedClients(services.servingState());
  }

  @Override
  public SessionServices services() {
    return services;
  }

  @Override
  public ResumeQueue resumeQueue() {
    return resumeQueue;
  }

  @Override
  public PausedClients pausedClients() {
    return pausedClients;
  }

  @Override
  public StoreFailureLog storeFailures() {
    return storeFailures;
  }

  @Override
  public TimeoutWheel wheel(EventLoop loop) {
    TimeoutWheel wheel = wheels.get(loop);
    return wheel == null ? wheels.computeIfAbsent(loop, TimeoutWheel::new) : wheel;
  }

  /** The sessions that have not released their state, in no particular order. */
  Set<Session> liveSessions() {
    return Collections.unmodifiableSet(liveSessions);
  }

  /** The sessions that have not released their state, sorted by client identifier. */
  List<Session> sortedByClientId() {
    return liveSessions.stream().sorted(Comparator.comparing(Session::clientId)).toList();
  }

  /** The connections that outlive their sessions. */
  HeldConnections heldConnections() {
    return heldConnections;
  }

  /** The number of sessions and held connections. */
  int size() {
    return liveSessions.size() + heldConnections.sizeWithout(liveSessions);
  }

  /**
   * Marks the session as disconnected because the node is draining; returns false if it already
   * was.
   */
  boolean markDisconnectedForDrain(Session session) {
    return disconnectedForDrain.add(session);
  }

  /** Refuses new sessions because the node is draining. */
  void startDraining(String reference) {
    serverReference = reference;
  }

  /** Accepts new sessions again. */
  void stopDraining() {
    serverReference = null;
  }

  boolean isDraining() {
    return serverReference != null;
  }

  @Override
  public String serverReference() {
    String reference = serverReference;
    return reference == null ? "" : reference;
  }

  boolean isShuttingDown() {
    return shutDownDone != null;
  }

  /**
   * Marks the node as shutting down, so that new sessions end immediately. The future completes
   * when all sessions have released their state.
   */
  CompletableFuture<Void> beginShutDown() {
    CompletableFuture<Void> allReleased = new CompletableFuture<>();
    shutDownDone = allReleased;
    return allReleased;
  }

  /**
   * Marks the node's incarnation as ended. The future completes when all sessions have released
   * their state.
   */
  CompletableFuture<Void> beginEndOfIncarnation() {
    CompletableFuture<Void> allReleased = new CompletableFuture<>();
    incarnationEnded = allReleased;
    return allReleased;
  }

  void completeIfAllReleased(@Nullable CompletableFuture<Void> waiting) {
    if (waiting != null && liveSessions.isEmpty()) {
      waiting.complete(null);
    }
  }

  @Override
  public Registration register(Session session) {
    liveSessions.add(session);
    return services.registry().register(session);
  }

  @Override
  public void onStateReleased(Session session) {
    services.registry().onStateReleased(session.registration());
    unregisterIfReleased(session);
    liveSessions.remove(session);
    disconnectedForDrain.remove(session);
    completeIfAllReleased(shutDownDone);
    completeIfAllReleased(incarnationEnded);
  }

  @Override
  public void onConnectionNotHeld(Session session) {
    heldConnections.remove(session);
  }

  @Override
  public void onHeldConnectionClosed(Session session) {
    heldConnections.remove(session);
    unregisterIfReleased(session);
  }

  private void unregisterIfReleased(Session session) {
    if (session.releasePart()) {
      services.registry().unregister(session.registration());
      services.tenants().quota(session.tenant()).release();
    }
  }
}
