package io.fjordmq.perf.load;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts the clients that are connected, lost or temporarily disconnected. Any thread. */
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

  /** Number of connected clients; never negative. */
  int connected() {
    int notConnected = lost.get() + away.get(); // before arrivals: never negative
    return arrivals.accepted() - notConnected;
  }

  /** A connection ended unexpectedly. */
  void onLost(String reason) {
    lost.incrementAndGet();
    losses.note(reason, "");
  }

  /** Connections that ended unexpectedly. */
  int lost() {
    return lost.get();
  }

  /** Why they ended. */
  ErrorCounts losses() {
    return losses;
  }

  /** A client has disconnected on purpose and will reconnect. */
  void onDisconnected() {
    departures.incrementAndGet();
    away.incrementAndGet();
  }

  /** It has reconnected. */
  void onReconnected() {
    away.decrementAndGet();
  }

  /** It could not reconnect: the broker refused it. */
  void reconnectFailed(String reason) {
    away.decrementAndGet(); // before it is lost, so that it does not count twice
    onLost("could not reconnect: " + reason);
  }

  /** How often clients have disconnected on purpose. */
  int departures() {
    return departures.get();
  }
}
