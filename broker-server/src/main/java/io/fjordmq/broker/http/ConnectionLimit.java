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
 * Bounds the number of connections. At the limit the longest idle connection makes room for the new
 * one: silent clients cannot keep a probe out, as they could if new connections were refused.
 * Thread-safe.
 */
final class ConnectionLimit implements Connection.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimit.class);

  private final int max;
  private final HttpObserver observer;

  /** The oldest first. */
  private final Set<SocketChannelEndPoint> open = new LinkedHashSet<>();

  ConnectionLimit(int max, HttpObserver observer) {
    this.max = max;
    this.observer = observer;
  }

  @Override
  public void onOpened(Connection connection) {
    // Over TLS there is a second connection, HTTP's, on top of the one to the socket.
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

  /** Counts the connection in; returns the one that has to go. */
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
        "HTTP connection closed for a new one: httpConfig.maxConnections reached limit={} idleMs={} client={}",
        max,
        socket.getIdleFor(),
        socket.getRemoteSocketAddress());
    observer.limited(HttpLimit.CONNECTIONS);
    socket.close();
  }
}
