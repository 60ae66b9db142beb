package io.fjordmq.cluster.consensus;

import java.time.Duration;

/**
 * Limits and timeouts of the Raft traffic between nodes.
 *
 * @param connectTimeout limit for one connection attempt
 * @param reconnectPause minimum time between two failed connection attempts to the same node
 * @param silence how long a node may leave all requests without a response before this node
 *     reconnects; also how long a connecting node may take to identify itself
 * @param heartbeatTick how long a heartbeat or its response may be delayed to share a packet with
 *     others; 0 sends each immediately. Adds to the latency of {@link Consensus#readIndex}
 * @param maxQueuedBytes maximum size of the send queue of one connection; further requests fail and
 *     Raft retries them
 * @param maxFrameBytes maximum size of a received message; a connection that sends a larger one is
 *     closed
 * @param workers number of threads that handle requests of other nodes; one thread handles all
 *     messages of one group from one node
 * @param queuedRequests maximum number of requests queued for one worker; further ones are dropped
 *     and retried by the sender
 * @param snapshotTimeout how long the export, fetch or installation of a snapshot may make no
 *     progress before it is given up; the total time is not limited
 * @param snapshotChunkBytes size of the parts in which a snapshot is fetched
 * @param snapshotReserveBytes disk space that must stay free while a snapshot is fetched and
 *     installed
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

  /** Connect timeout 1 s, heartbeat tick 10 ms, send queue 64 MiB, frames up to 64 MiB. */
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
   * @throws IllegalArgumentException if a limit is not positive, or two chunks do not fit in a
   *     frame
   */
  public TransportSettings {
    if (workers < 1 || queuedRequests < 1 || maxQueuedBytes < 1 || snapshotChunkBytes < 1) {
      throw new IllegalArgumentException(
          "workers, queuedRequests, maxQueuedBytes and snapshotChunkBytes must be positive");
    }
    if (maxFrameBytes < 2 * snapshotChunkBytes) {
      throw new IllegalArgumentException("maxFrameBytes must be at least 2 * snapshotChunkBytes");
    }
  }
}
