package io.fjordmq.broker.http;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the number of HTTP connections. At the limit, the connection that has been idle longest is
 * closed to make room for the new one. If new connections were refused instead, idle clients could
 * lock out health probes. Thread-safe.
 */
final class ConnectionLimit implements Connection.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimit.class);

  private final int max;
  private final HttpObserver observer;

  /** The open connections, oldest first. */
  private final Set<SocketChannelEndPoint> open = new LinkedHashSet<>();

  ConnectionLimit(int max, HttpObserver observer) {
    this.max = max;
    this.observer = observer;
  }

  @Override
  public void onOpened(Connection connection) {
    // With TLS, Jetty reports two connections per socket: one for TLS and one for HTTP.
    if (connection.getEndPoint() instanceof SocketChannelEndPoint socket) {
      admit(socket).ifPresent(this::evict);
    }
  }

  @Override
  public void onClosed(Connection connection) {
    if (connection.getEndPoint() instanceof SocketChannelEndPoint socket) {
      synchronized (open) {
        open.remove(socket);
      }
    }
  }

  /** Adds the connection; returns the connection to close in its place, if any. */
  private Optional<SocketChannelEndPoint> admit(SocketChannelEndPoint socket) {
    synchronized (open) {
      Optional<SocketChannelEndPoint> longestIdle =
          open.size() < max
              ? Optional.empty()
              : open.stream().max(Comparator.comparingLong(SocketChannelEndPoint::getIdleFor));
      longestIdle.ifPresent(open::remove);
      open.add(socket);
      return longestIdle;
    }
  }

  private void evict(SocketChannelEndPoint socket) {
    LOG.debug(
        "Closed the longest idle HTTP connection to admit a new one: httpConfig.maxConnections"
            + " reached limit={} idleMs={} peer={}",
        max,
        socket.getIdleFor(),
        socket.getRemoteSocketAddress());
    observer.onLimitReached(HttpLimit.CONNECTIONS);
    socket.close();
  }
}
