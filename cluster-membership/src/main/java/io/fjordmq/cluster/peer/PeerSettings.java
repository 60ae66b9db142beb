package io.fjordmq.cluster.peer;

import java.time.Duration;

/**
 * Settings of the connections for calls between nodes.
 *
 * @param connectTimeout maximum time until a connection is established and accepted
 * @param minReconnectPause pause after the first failed connection attempt; doubles with each
 *     further one
 * @param maxReconnectPause the longest such pause; calls during a pause fail immediately
 * @param pingInterval interval between pings on each connection
 * @param silence time without any message, not even a pong, after which a connection is closed
 * @param maxQueuedBytes maximum bytes queued for sending on one connection; further calls fail, and
 *     further responses close the connection
 * @param maxUnanswered maximum number of pending calls to one node; further calls fail
 * @param maxMessageBytes maximum size of one request or response
 * @param ioThreads number of threads for all connections; handlers and futures run on them
 */
public record PeerSettings(
    Duration connectTimeout,
    Duration minReconnectPause,
    Duration maxReconnectPause,
    Duration pingInterval,
    Duration silence,
    long maxQueuedBytes,
    int maxUnanswered,
    int maxMessageBytes,
    int ioThreads) {

  /** Detects a silent node after 2 s; queues up to 64 MiB; messages up to 32 MiB. */
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
    if (maxQueuedBytes < 1 || maxUnanswered < 1 || maxMessageBytes < 1024 || ioThreads < 1) {
      throw new IllegalArgumentException(
          "maxQueuedBytes, maxUnanswered and ioThreads must be positive, maxMessageBytes 1024 or more");
    }
    if (minReconnectPause.isNegative() || maxReconnectPause.compareTo(minReconnectPause) < 0) {
      throw new IllegalArgumentException(
          "maxReconnectPause must not be shorter than minReconnectPause, which must not be negative");
    }
    if (pingInterval.toMillis() < 1 || silence.compareTo(pingInterval.multipliedBy(2)) < 0) {
      throw new IllegalArgumentException(
          "silence must be at least twice pingInterval, which must be 1 ms or longer");
    }
  }
}
