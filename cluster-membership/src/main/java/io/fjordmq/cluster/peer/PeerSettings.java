package io.fjordmq.cluster.peer;

import java.time.Duration;

/**
 * How calls between two nodes are carried.
 *
 * @param connectTimeout how long it may take until a connection is made and accepted
 * @param minReconnectPause after a first failed attempt to reach a node; doubled with each
 * @param maxReconnectPause the longest such pause; calls within it fail at once
 * @param pingInterval how often each connection is tried
 * @param silence how long a node may say nothing, not even answer a ping, before its connection is
 *     given up
 * @param maxQueuedBytes bytes that may wait to be sent over one connection; calls beyond fail,
 *     answers beyond end the connection
 * @param maxUnanswered calls to one node that may wait for their answers; more fail
 * @param maxMessageBytes of one request or answer
 * @param ioThreads threads of all connections; handlers and futures run on them
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

  /** Notices a silent node after 2 s; queues 64 MiB; messages up to 32 MiB. */
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
   * @throws IllegalArgumentException if a bound makes no sense
   */
  public PeerSettings {
    if (maxQueuedBytes < 1 || maxUnanswered < 1 || maxMessageBytes < 1024 || ioThreads < 1) {
      throw new IllegalArgumentException("every bound of calls between nodes must be positive");
    }
    if (minReconnectPause.isNegative() || maxReconnectPause.compareTo(minReconnectPause) < 0) {
      throw new IllegalArgumentException("maxReconnectPause must be minReconnectPause or longer");
    }
    if (pingInterval.toMillis() < 1 || silence.compareTo(pingInterval.multipliedBy(2)) < 0) {
      throw new IllegalArgumentException("silence must be two ping intervals or longer");
    }
  }
}
