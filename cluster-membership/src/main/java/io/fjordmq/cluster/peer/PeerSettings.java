package io.fjordmq.cluster.peer;

import java.time.Duration;

/**
 * Settings of the connections for calls between nodes.
 *
 * @param connectTimeout maximum time until a connection is established and accepted
 * @param minReconnectBackoff pause after the first failed connection attempt; doubles with each
 *     further one
 * @param maxReconnectBackoff the longest such pause; calls during a pause fail immediately
 * @param pingInterval time without any message after which a connection is pinged, and interval
 *     between pings
 * @param idleTimeout time without any message, not even a pong, after which a connection is closed
 * @param maxQueuedBytes maximum bytes queued for sending on one connection; further calls fail, and
 *     further responses close the connection
 * @param maxPendingCalls maximum number of pending calls to one node; further calls fail
 * @param maxMessageBytes maximum size of one request or response
 * @param ioThreads number of threads for all connections; handlers and futures run on them
 */
public record PeerSettings(
    Duration connectTimeout,
    Duration minReconnectBackoff,
    Duration maxReconnectBackoff,
    Duration pingInterval,
    Duration idleTimeout,
    long maxQueuedBytes,
    int maxPendingCalls,
    int maxMessageBytes,
    int ioThreads) {

  /** Detects an unresponsive node after 2 s; queues up to 64 MiB; messages up to 32 MiB. */
  public static final PeerSettings DEFAULT =
      new PeerSettings(
          Duration.ofSeconds(1),
          Duration.ofMillis(100),
          Duration.ofSeconds(1),
          Duration.ofMillis(500),
          Duration.ofSeconds(2),
          64L << 20,
          65_536,
          32 << 20,
          2);

  /**
   * @throws IllegalArgumentException if a value is out of range
   */
  public PeerSettings {
    if (maxQueuedBytes < 1 || maxPendingCalls < 1 || maxMessageBytes < 1024 || ioThreads < 1) {
      throw new IllegalArgumentException(
          "maxQueuedBytes, maxPendingCalls and ioThreads must be positive and maxMessageBytes at least 1024, not %d, %d, %d and %d"
              .formatted(maxQueuedBytes, maxPendingCalls, ioThreads, maxMessageBytes));
    }
    if (minReconnectBackoff.isNegative()
        || maxReconnectBackoff.compareTo(minReconnectBackoff) < 0) {
      throw new IllegalArgumentException(
          "minReconnectBackoff must be at least 0 ms and maxReconnectBackoff must be at least as long, not %d ms and %d ms"
              .formatted(minReconnectBackoff.toMillis(), maxReconnectBackoff.toMillis()));
    }
    if (pingInterval.toMillis() < 1) {
      throw new IllegalArgumentException(
          "pingInterval must be at least 1 ms, not " + pingInterval.toMillis() + " ms");
    }
    if (idleTimeout.compareTo(pingInterval.multipliedBy(2)) < 0) {
      throw new IllegalArgumentException(
          "idleTimeout must be at least twice pingInterval (%d ms), not %d ms"
              .formatted(pingInterval.toMillis(), idleTimeout.toMillis()));
    }
  }
}
