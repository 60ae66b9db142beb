package io.fjordmq.broker.simulation;

import io.fjordmq.testing.Simulation;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection between a {@link ModelClient} and a {@link SimChannel}: bytes arrive late, in
 * order, cut into any pieces, until either side closes or the connection breaks in the middle of a
 * packet. The broker may hear of that soon, late or when it writes.
 */
final class SimLink {
  private static final int SPLIT_PERCENT = 25;
  private static final int SLOW_PERCENT = 3;
  private static final int USUAL_DELAY_MILLIS = 8;
  private static final int SLOW_DELAY_MILLIS = 120;
  private static final int UNNOTICED_MILLIS = 8_000;

  /** The client's end. */
  interface Client {
    void onBytes(byte[] bytes);

    /** The broker closed the connection, or it broke. */
    void onClosed();

    /** The same, when it happens; the client does not know yet. */
    void onBrokerClosed();

    /**
     * The broker reports that the client's DISCONNECT ended the connection. Nor does it know this.
     */
    void onDisconnectProcessed();
  }

  /** How a client closes its connection. */
  enum DisconnectKind {
    /** The client closes its side: the broker sees the end after the sent bytes. */
    CLOSED,
    /** The connection is reset; some of the bytes in transit arrive. */
    RESET,
    /** The same, but the broker does not notice for a while. */
    UNNOTICED
  }

  /** Bytes in transit; a null piece is the end. */
  private static final class Direction {
    final Deque<byte[]> pieces = new ArrayDeque<>();
    long lastArrivalMillis;
  }

  private final Simulation simulation;
  private final String name;
  private final Client client;
  private final int sendBufferBytes;
  private final Direction toServer = new Direction();
  private final Direction toClient = new Direction();
  private final ArrayDeque<byte[]> unread = new ArrayDeque<>();
  private @Nullable SimChannel channel;
  private @Nullable SimEventLoop loop;
  private boolean clientClosed;
  private boolean serverClosed;
  private boolean clientNotified;
  private boolean paused;
  private boolean writableRequested;
  private int unconsumed;
  private boolean answered;

  SimLink(Simulation simulation, String name, int sendBufferBytes, Client client) {
    this.simulation = simulation;
    this.name = name;
    this.client = client;
    this.sendBufferBytes = sendBufferBytes;
  }

  String name() {
    return name;
  }

  void accept(SimChannel accepted, SimEventLoop owner) {
    channel = accepted;
    loop = owner;
  }

  // ---- the client's side

  void sendFromClient(byte[] bytes) {
    if (clientClosed) {
      return;
    }
    int first = bytes.length;
    if (bytes.length > 1 && simulation.chance(SPLIT_PERCENT)) {
      first = (int) simulation.between(1, bytes.length - 1L);
    }
    send(toServer, Arrays.copyOf(bytes, first), this::arriveAtServer);
    if (first < bytes.length) {
      send(toServer, Arrays.copyOfRange(bytes, first, bytes.length), this::arriveAtServer);
    }
  }

  /** The client closes this connection. */
  void disconnect(DisconnectKind how) {
    if (clientClosed) {
      return;
    }
    clientClosed = true;
    if (how != DisconnectKind.CLOSED) {
      dropInTransit(toServer);
    }
    long delay = randomDelayMillis();
    if (how == DisconnectKind.UNNOTICED) {
      delay = simulation.between(delay, UNNOTICED_MILLIS);
    }
    simulation.schedule(
        arrivalDelayMillis(toServer, delay),
        () -> atServer(how == DisconnectKind.CLOSED ? SimChannel::onEnd : SimChannel::onReset));
  }

  /** The client stops reading: bytes sent to it wait in the buffers in between. */
  void pause() {
    paused = true;
  }

  void resume() {
    paused = false;
    for (byte[] piece = unread.poll(); piece != null && !clientClosed; piece = unread.poll()) {
      consume(piece);
    }
    if (serverClosed && toClient.pieces.isEmpty()) {
      notifyClient();
    }
  }

  private void arriveAtServer(byte[] bytes) {
    atServer(to -> to.onBytes(bytes));
  }

  private void atServer(Consumer<SimChannel> event) {
    SimChannel to = channel;
    SimEventLoop on = loop;
    if (!serverClosed && to != null && on != null) {
      on.execute(() -> event.accept(to));
    }
  }

  // ---- the broker's side

  /** Bytes that may be written now. */
  int writableBytes() {
    return Math.max(0, sendBufferBytes - unconsumed);
  }

  /** Notifies the channel when it can write again. */
  void notifyWhenWritable() {
    writableRequested = true;
  }

  void sendFromServer(byte[] bytes) {
    answered = true;
    unconsumed += bytes.length;
    send(toClient, bytes, this::arriveAtClient);
  }

  /** Half a close: the client sees the end after what was sent. */
  void shutDownFromServer() {
    client.onBrokerClosed();
    simulation.schedule(arrivalDelayMillis(toClient, randomDelayMillis()), this::notifyClient);
  }

  void closeFromServer() {
    if (!serverClosed) {
      serverClosed = true;
      client.onBrokerClosed();
      simulation.schedule(arrivalDelayMillis(toClient, randomDelayMillis()), this::notifyClient);
    }
  }

  /** The broker has processed the client's DISCONNECT and notified its event listeners. */
  void onDisconnectProcessed() {
    client.onDisconnectProcessed();
  }

  /**
   * The cluster has marked the node as down; the node may not know it yet. A CONNECT that waits
   * there may be answered when the node is back.
   */
  void onNodeMarkedDown() {
    if (answered) {
      client.onBrokerClosed();
    }
  }

  /** The broker's process has crashed. */
  void onServerCrash() {
    if (!serverClosed) {
      serverClosed = true;
      client.onBrokerClosed();
      dropInTransit(toClient);
      simulation.schedule(arrivalDelayMillis(toClient, randomDelayMillis()), this::notifyClient);
    }
  }

  private void arriveAtClient(byte[] bytes) {
    if (clientClosed) {
      return;
    }
    if (paused) {
      unread.add(bytes);
    } else {
      consume(bytes);
    }
  }

  private void consume(byte[] bytes) {
    unconsumed -= bytes.length;
    if (writableRequested && writableBytes() > 0) {
      writableRequested = false;
      atServer(SimChannel::onWritable);
    }
    client.onBytes(bytes);
  }

  private void notifyClient() {
    if (!clientClosed && !clientNotified && !paused) {
      clientNotified = true;
      client.onClosed();
    }
  }

  // ---- both

  private void send(Direction way, byte[] bytes, Consumer<byte[]> arrive) {
    way.pieces.add(bytes);
    simulation.schedule(
        arrivalDelayMillis(way, randomDelayMillis()),
        () -> {
          byte[] piece = way.pieces.remove();
          if (piece.length > 0) {
            arrive.accept(piece);
          }
        });
  }

  /** Only this many bytes of those in transit will arrive. */
  private void dropInTransit(Direction way) {
    int total = way.pieces.stream().mapToInt(piece -> piece.length).sum();
    int left = (int) simulation.between(0, total);
    ArrayDeque<byte[]> kept = new ArrayDeque<>();
    for (byte[] piece : way.pieces) {
      int bytes = Math.min(left, piece.length);
      kept.add(Arrays.copyOf(piece, bytes));
      left -= bytes;
    }
    way.pieces.clear();
    way.pieces.addAll(kept);
  }

  private long randomDelayMillis() {
    return simulation.chance(SLOW_PERCENT)
        ? simulation.between(0, SLOW_DELAY_MILLIS)
        : simulation.between(0, USUAL_DELAY_MILLIS);
  }

  /** Delay until the arrival, not before what was sent earlier. */
  private long arrivalDelayMillis(Direction way, long delayMillis) {
    way.lastArrivalMillis = Math.max(way.lastArrivalMillis, simulation.now() + delayMillis);
    return way.lastArrivalMillis - simulation.now();
  }
}
