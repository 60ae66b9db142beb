package io.fjordmq.cluster.consensus;

import java.time.Duration;

/**
 * How the Raft traffic between two nodes is carried.
 *
 * @param connectTimeout how long one attempt to connect may take
 * @param reconnectPause least time between two failed attempts to reach the same node
 * @param silence how long a node may leave every request unanswered before its connection is made
 *     anew; also how long one that connects may take to say who it is
 * @param heartbeatTick how long a heartbeat or its answer may wait for others to share a packet; 0
 *     sends each at once. Adds to the latency of {@link Consensus#readIndex}
 * @param maxQueuedBytes bytes that may wait for one connection; calls beyond fail and Raft sends
 *     them again later
 * @param maxFrameBytes largest message accepted; the connection that sends a larger one is closed
 * @param workers threads that handle what other nodes ask; the messages of one group from one node
 *     always meet the same one
 * @param queuedRequests requests that may wait for one worker; more are dropped and asked again by
 *     their sender
 * @param snapshotTimeout how long making, fetching or installing a copy of a state may make no
 *     progress before it is given up; while it goes on it may take as long as it likes
 * @param snapshotChunkBytes size of the parts in which a copy is fetched
 * @param snapshotReserveBytes disk space that has to stay free when a copy is fetched and installed
 */
public record TransportSettings(
    Duration connectTimeout,
    Duration reconnectPause,
    Duration silence,
    Duration heartbeatTick,
    long maxQueuedBytes,
    int maxFrameBytes,
    int workers,
    int queuedRequests,
    Duration snapshotTimeout,
    int snapshotChunkBytes,
    long snapshotReserveBytes) {

  /** Connects in 1 s, shares heartbeats of 10 ms, queues 64 MiB, frames up to 64 MiB. */
  public static final TransportSettings DEFAULT =
      new TransportSettings(
          Duration.ofSeconds(1),
          Duration.ofMillis(250),
          Duration.ofSeconds(10),
          Duration.ofMillis(10),
          64L << 20,
          64 << 20,
          4,
          16_384,
          Duration.ofSeconds(30),
          1 << 20,
          256L << 20);

  /**
   * @throws IllegalArgumentException if a bound is not positive
   */
  public TransportSettings {
    if (workers < 1 || queuedRequests < 1 || maxQueuedBytes < 1 || snapshotChunkBytes < 1) {
      throw new IllegalArgumentException("every bound of the transport must be positive");
    }
    if (maxFrameBytes < 2 * snapshotChunkBytes) {
      throw new IllegalArgumentException("maxFrameBytes must be twice snapshotChunkBytes or more");
    }
  }
}
