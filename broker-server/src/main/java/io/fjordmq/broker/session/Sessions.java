package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.ClientConnections;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.PacketCodec;
import io.fjordmq.broker.protocol.PacketFramer;
import io.fjordmq.broker.security.ConnectedCertificate;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** All sessions on this node, including those that are connecting or ending. Thread-safe. */
public final class Sessions implements ClientConnections {
  /** What the connections of one event loop share. */
  private record LoopParts(SliceQueue queue, PacketCodec codec) {
    static LoopParts of(EventLoop loop) {
      return new LoopParts(new SliceQueue(loop), new PacketCodec());
    }
  }

  private final SessionServices services;
  private final SessionTable table;
  private final ConcurrentHashMap<EventLoop, LoopParts> loops = new ConcurrentHashMap<>();

  /**
   * The sessions that {@link #disconnectWithoutLease} has yet to end. Used by one thread at a time.
   */
  private final ArrayDeque<Session> awaitingDisconnect = new ArrayDeque<>();

  public Sessions(SessionServices services) {
    this.services = services;
    this.table = new SessionTable(services);
  }

  /**
   * {@inheritDoc}
   *
   * <pre>
   *   frames    PacketFramer: whole packets within the size limit; rules Netty does not check;
   *             SUBSCRIBE and UNSUBSCRIBE up to their filters
   *   trace     only if the connection is traced; see {@link io.fjordmq.broker.trace.ConnectionTrace}
   *   session   ConnectHandler until the CONNACK, then SessionHandler; both decode and encode
   *             packets with Netty's codec ({@link PacketCodec}), with strict UTF-8
   * </pre>
   */
  @Override
  public void serve(Channel channel) {
    LoopParts loop = loops.computeIfAbsent(channel.eventLoop(), LoopParts::of);
    ReadSlices slices = new ReadSlices(channel, loop.queue(), services.observer());
    ChannelPipeline pipeline = channel.pipeline();
    SessionSettings settings = services.settings();
    pipeline.addLast("frames", new PacketFramer(settings.maxPacketBytes(), slices));
    pipeline.addLast("session", new ConnectHandler(table, slices, loop.codec(), settings));
  }

  @Override
  public void countRefused(CloseReason reason) {
    services.observer().onRefused(reason);
  }

  @Override
  public boolean needsIssuers() {
    return services.security().checksRevocation();
  }

  @Override
  public Overload overload() {
    return services.overload();
  }

  @Override
  public int size() {
    return table.size();
  }

  /**
   * Refuses new clients with "use another server" (0x9C).
   *
   * @param reference the Server Reference for MQTT 5 clients that the draining node disconnects
   *     (MQTT 5.0 §4.13); empty for none
   */
  public void startDraining(String reference) {
    table.startDraining(reference);
  }

  /** Accepts new clients again after {@link #startDraining}. */
  public void stopDraining() {
    table.stopDraining();
  }

  /**
   * Applies the current limits of tenants to connected clients, as far as they can change during a
   * connection ({@link SessionSettings#forOpenConnection}). Does not wait for the event loops.
   */
  public void applyLimits() {
    for (Session session : table.liveSessions()) {
      session.eventLoop().execute(session::applyLimits);
    }
  }

  /**
   * Disconnects up to {@code atMost} more clients, in any order. Must be called after {@link
   * #startDraining}. Clients disconnected by earlier calls do not count, even while their sessions
   * are still ending. Does nothing while {@link #closeHeldConnections} has connections to close.
   */
  public void disconnect(int atMost) {
    int remaining = hasHeldConnections() ? 0 : atMost;
    for (Session session : table.liveSessions()) {
      if (remaining == 0) {
        return;
      }
      if (table.markDisconnectedForDrain(session)) {
        remaining--;
        session
            .eventLoop()
            .execute(() -> session.end(CloseReason.USE_ANOTHER_SERVER, SessionTable.DRAINING));
      }
    }
  }

  @Override
  public CompletableFuture<Void> shutDown() {
    CompletableFuture<Void> allReleased = table.beginShutDown();
    for (Session session : table.liveSessions()) {
      session.eventLoop().execute(session::endForShutDown);
    }
    closeHeldConnections(Integer.MAX_VALUE);
    table.completeIfAllReleased(allReleased);
    return allReleased;
  }

  /**
   * Ends all sessions after the cluster has marked this incarnation of the node DOWN, because the
   * sessions now belong to other nodes. The connections stay open until {@link
   * #closeHeldConnections}, but nothing is read from or written to them. The future completes when
   * all sessions have released their state. The caller must ensure that no client is served until
   * then; afterward, the next incarnation may begin.
   *
   * @param perSecond the number of connections that {@code closeHeldConnections} will close per
   *     second
   */
  public CompletableFuture<Void> endIncarnation(int perSecond) {
    CompletableFuture<Void> allReleased = table.beginEndOfIncarnation();
    List<Session> ending = table.sortedByClientId();
    long position = table.heldConnections().size();
    table.heldConnections().addAll(ending);
    for (Session session : ending) {
      Duration closesIn = Duration.ofMillis(++position * 1_000 / perSecond);
      session.eventLoop().execute(() -> session.endWithIncarnation(closesIn));
    }
    table.completeIfAllReleased(allReleased);
    return allReleased;
  }

  /**
   * Closes up to {@code atMost} of the connections that {@link #endIncarnation} kept open. Their
   * clients are sent 0x8B, so that they reconnect to this or another node.
   */
  public void closeHeldConnections(int atMost) {
    for (Session session : table.heldConnections().take(atMost)) {
      session
          .eventLoop()
          .execute(() -> session.closeIfHeld(CloseReason.NODE_DOWN, Session.MARKED_DOWN));
    }
  }

  /** Whether {@link #closeHeldConnections} has connections to close. */
  public boolean hasHeldConnections() {
    return !table.heldConnections().isEmpty();
  }

  /**
   * Ends up to {@code atMost} sessions with 0x8B because this node has no valid lease and another
   * node can serve the clients. Each call ends different sessions; none are ended while {@link
   * #closeHeldConnections} has connections to close. Does not wait for the sessions to end. Called
   * by one thread at a time, like {@link #resumeServing}.
   *
   * @return the number of disconnected clients
   */
  public int disconnectWithoutLease(int atMost) {
    if (hasHeldConnections()) {
      return 0;
    }
    if (awaitingDisconnect.isEmpty()) {
      awaitingDisconnect.addAll(table.sortedByClientId());
    }
    int count = 0;
    while (count < atMost && !awaitingDisconnect.isEmpty()) {
      Session session = awaitingDisconnect.remove();
      if (table.liveSessions().contains(session)) {
        count++;
        session
            .eventLoop()
            .execute(
                () ->
                    session.end(
                        CloseReason.NODE_DOWN, "the node's lease has expired; use another server"));
      }
    }
    return count;
  }

  /** Resumes paused clients because the node has a valid lease again. */
  public void resumeServing() {
    awaitingDisconnect.clear();
    table.pausedClients().resumeAll();
  }

  /**
   * Searches for clients that may no longer be connected; see {@link
   * io.fjordmq.broker.bans.DisconnectSearch#search}.
   *
   * @param users only clients of these users; null for all clients
   */
  public Iterator<Runnable> clientsToDisconnect(@Nullable Set<String> users) {
    return table.liveSessions().stream()
        .filter(session -> users == null || users.contains(session.client().userName()))
        .filter(Session::mustDisconnect)
        .map(
            session -> (Runnable) () -> session.eventLoop().execute(session::endIfNoLongerAdmitted))
        .iterator();
  }

  /** Returns the connected clients that have a certificate. Can be called on any thread. */
  public Iterator<ConnectedCertificate> connectedCertificates() {
    return table.liveSessions().stream().flatMap(Session::certificate).iterator();
  }

  /** Updates what is traced; see {@link io.fjordmq.broker.trace.TracedConnections#update}. */
  public void updateTraces() {
    for (Session session : table.liveSessions()) {
      if (session.mustUpdateTrace()) {
        session.eventLoop().execute(session::updateTrace);
      }
    }
  }

  /**
   * Ends sessions that have pending data and whose clients have read nothing since the previous
   * call, to free their memory. Can be called on any thread.
   */
  public void disconnectStuckClients() {
    for (Session session : table.liveSessions()) {
      session.eventLoop().execute(session::disconnectIfStuck);
    }
  }
}
