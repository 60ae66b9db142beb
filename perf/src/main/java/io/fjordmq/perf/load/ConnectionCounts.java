package io.fjordmq.perf.load;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts the clients that are connected, lost or temporarily disconnected. Thread-safe. */
final class ConnectionCounts {
  private final Arrivals arrivals;
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicInteger away = new AtomicInteger();
  private final AtomicInteger departures = new AtomicInteger();
  private final ErrorCounts losses = new ErrorCounts();

  /**
   * @param arrivals counts the clients that have connected
   */
  ConnectionCounts(Arrivals arrivals) {
    this.arrivals = arrivals;
  }

  /** Returns the number of connected clients; never negative. */
  int connected() {
    // Read before the arrivals, so that the difference is never negative.
    int notConnected = lost.get() + away.get();
    return arrivals.accepted() - notConnected;
  }

  /** Called when a connection has ended unexpectedly. */
  void onLost(String reason) {
    lost.incrementAndGet();
    losses.note(reason, "");
  }

  /** Returns the number of connections that ended unexpectedly. */
  int lost() {
    return lost.get();
  }

  /** Returns why connections ended unexpectedly. */
  ErrorCounts losses() {
    return losses;
  }

  /** Called when a client has disconnected on purpose and will reconnect. */
  void onDisconnected() {
    departures.incrementAndGet();
    away.incrementAndGet();
  }

  /** Called when a client has reconnected. */
  void onReconnected() {
    away.decrementAndGet();
  }

  /** Called when a client could not reconnect; it counts as lost. */
  void reconnectFailed(String reason) {
    away.decrementAndGet(); // before counting it as lost, so that it is not counted twice
    onLost("could not reconnect: " + reason);
  }

  /** Returns how often clients have disconnected on purpose. */
  int departures() {
    return departures.get();
  }
}
