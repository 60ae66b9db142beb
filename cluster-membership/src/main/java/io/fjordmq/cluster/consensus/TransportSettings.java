package io.fjordmq.cluster.consensus;

import java.time.Duration;

/**
 * Limits and timeouts for Raft traffic between nodes.
 *
 * @param connectTimeout limit for one connection attempt
 * @param reconnectInterval pause after a failed connection attempt before the next attempt to
 *     connect to the same node
 * @param idleTimeout time without a response to any request after which this node reconnects; also
 *     the time within which a connecting node must identify itself
 * @param heartbeatTick delay of a heartbeat so that it can share a packet with those of other
 *     groups, which are due at the same time; 0 sends each immediately. Adds to the latency of
 *     {@link Consensus#readIndex}
 * @param maxQueuedBytes maximum size of the send queue of one connection; further requests fail and
 *     Raft retries them
 * @param maxFrameBytes maximum size of a received message; a connection that sends a larger one is
 *     closed
 * @param workers number of threads that handle requests from other nodes; one thread handles all
 *     messages of one group from one node
 * @param queuedRequests maximum number of requests queued for one worker; further ones are dropped
 *     and retried by the sender
 * @param snapshotTimeout time without progress after which the export, fetch or installation of a
 *     snapshot is abandoned; the total time is not limited
 * @param snapshotChunkBytes size of the parts in which a snapshot is fetched
 * @param snapshotReserveBytes disk space that must stay free while a snapshot is fetched and
 *     installed
 */
public record TransportSettings(
    Duration connectTimeout,
    Duration reconnectInterval,
    Duration idleTimeout,
    Duration heartbeatTick,
    long maxQueuedBytes,
    int maxFrameBytes,
    int workers,
    int queuedRequests,
    Duration snapshotTimeout,
    int snapshotChunkBytes,
    long snapshotReserveBytes) {

  /** Connect timeout 1 s, heartbeat tick 2 ms, send queue 64 MiB, frames up to 64 MiB. */
  public static final TransportSettings DEFAULT =
      new TransportSettings(
          Duration.ofSeconds(1),
          Duration.ofMillis(250),
          Duration.ofSeconds(10),
          Duration.ofMillis(2),
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
          "workers, queuedRequests, maxQueuedBytes and snapshotChunkBytes must be positive, not %d, %d, %d and %d"
              .formatted(workers, queuedRequests, maxQueuedBytes, snapshotChunkBytes));
    }
    if (maxFrameBytes < 2 * snapshotChunkBytes) {
      throw new IllegalArgumentException(
          "maxFrameBytes must be at least twice snapshotChunkBytes (%d), not %d"
              .formatted(snapshotChunkBytes, maxFrameBytes));
    }
  }
}
