package io.fjordmq.cluster.consensus;

/**
 * Receives events of a node's Raft groups, for metrics and logs. Called on the groups' own threads;
 * must not block or throw.
 */
public interface ConsensusObserver {

  /** Ignores everything. */
  ConsensusObserver NONE = new ConsensusObserver() {};

  /**
   * A batch of entries was written to the log and, with fsync enabled, synced.
   *
   * @param entries number of entries
   * @param bytes encoded size of the entries
   * @param nanos duration of the write and the fsync, without encoding
   */
  default void onAppended(GroupId group, int entries, long bytes, long nanos) {}

  /** This node's replica became leader and is ready to serve. */
  default void onElected(GroupId group, long term) {}

  /** This node's replica no longer leads. */
  default void onStepDown(GroupId group) {}

  /** This node's replica failed and is inactive until it is reopened. */
  default void onHalted(GroupId group, ConsensusException cause) {}

  /** Why a message to or from another node was dropped. Raft retries it. */
  enum TrafficDrop {
    /** More than {@link TransportSettings#maxQueuedBytes} are queued for the connection. */
    CONNECTION_FULL,
    /** More than {@link TransportSettings#queuedRequests} are queued for the worker. */
    WORKER_FULL
  }

  /** A message to or from another node was dropped. */
  default void onTrafficDropped(TrafficDrop reason) {}

  /** A proposal failed; {@code BUSY} means back-pressure. */
  default void onProposalFailed(GroupId group, ConsensusException.Kind kind) {}
}
