package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.ClientConnections;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.PacketFramer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** All sessions of this node, including those that are connecting or ending. Thread-safe. */
public final class Sessions implements ClientConnections {
  private final SessionServices services;
  private final SessionTable table;
  private final ConcurrentHashMap<EventLoop, SliceQueue> queues = new ConcurrentHashMap<>();

  /**
   * Sessions that {@link #disconnectWithoutLease} still has to end; used by one thread at a time.
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
   *   decoder   Netty: bytes to packets, strict UTF-8; passes packets through
   *   encoder   Netty: packets to bytes; passes bytes through
   *   session   ConnectHandler until the CONNACK, then SessionHandler
   * </pre>
   */
  @Override
  public void serve(Channel channel) {
    SliceQueue queue = queues.computeIfAbsent(channel.eventLoop(), SliceQueue::new);
    ReadSlices slices = new ReadSlices(channel, queue, services.observer());
    ChannelPipeline pipeline = channel.pipeline();
    pipeline.addLast("frames", new PacketFramer(services.settings().maxPacketBytes(), slices));
    // The framer has already checked the size, by the tenant's limit once the tenant is known. The
    // length of the client identifier is checked with the CONNECT.
    pipeline.addLast("decoder", new MqttDecoder(SessionSettings.MAX_PACKET_BYTES, 65_535, true));
    pipeline.addLast("encoder", MqttEncoder.INSTANCE);
    pipeline.addLast("session", new ConnectHandler(table, slices));
  }

  @Override
  public void countRefused(CloseReason reason) {
    services.observer().onRefused(reason);
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
   * @param reference Server Reference for the MQTT 5 clients that the draining node disconnects
   *     (MQTT 5.0 §4.13); empty for none
   */
  public void startDraining(String reference) {
    table.startDraining(reference);
  }

  /**
   * After {@link #startDraining}: disconnects up to {@code atMost} more clients, in any order.
   * Clients of earlier calls do not count, even while their sessions are ending. Does nothing while
   * {@link #closeHeldConnections} has connections to close.
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
   * The cluster marked this incarnation of the node DOWN: ends all sessions, because they now
   * belong to other nodes. Their connections stay open, without being read or written, until {@link
   * #closeHeldConnections}. Completes when all sessions have released their state. The caller
   * ensures that no client is served until then; afterward the next incarnation may begin.
   *
   * @param perSecond how many connections {@code closeHeldConnections} will close per second
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
   * Closes connections that {@link #endIncarnation} kept open; sends 0x8B, so that their clients
   * reconnect, here or to another node.
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
   * This node has no valid lease, and another node can serve its clients: ends up to {@code atMost}
   * sessions with 0x8B, different ones with each call, or none while {@link #closeHeldConnections}
   * is doing so. Does not wait for their end. Called by one thread at a time, like {@link
   * #resumeServing}.
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
                () -> session.end(CloseReason.NODE_DOWN, "node lease expired; use another server"));
      }
    }
    return count;
  }

  /** The node has a valid lease again: paused clients continue. */
  public void resumeServing() {
    awaitingDisconnect.clear();
    table.pausedClients().resumeAll();
  }

  /**
   * Ends sessions that have pending data and whose clients have read nothing since the last call,
   * to free their memory. Any thread.
   */
  public void disconnectStuckClients() {
    for (Session session : table.liveSessions()) {
      session.eventLoop().execute(session::disconnectIfStuck);
    }
  }
}
