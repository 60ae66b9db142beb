package io.fjordmq.cluster.consensus;

/**
 * Receives events of a node's Raft groups, for metrics and logs. Called on the groups' own threads;
 * must not block or throw.
 */
public interface ConsensusObserver {

  /** Ignores everything. */
  ConsensusObserver NONE = new ConsensusObserver() {};

  /**
   * Called after a batch of entries was written to the log and, with fsync enabled, synced.
   *
   * @param entries number of entries
   * @param bytes encoded size of the entries
   * @param nanos duration of the write and the fsync, without encoding
   */
  default void onAppended(GroupId group, int entries, long bytes, long nanos) {}

  /** Called when this node's replica has become leader and is ready to serve. */
  default void onElected(GroupId group, long term) {}

  /** Called when this node's replica no longer leads. */
  default void onStepDown(GroupId group) {}

  /** Called when this node's replica has failed; it is inactive until it is reopened. */
  default void onHalted(GroupId group, ConsensusException cause) {}

  /** The reason why a message to or from another node was dropped. Raft retries it. */
  enum TrafficDrop {
    /** The send queue of the connection has reached {@link TransportSettings#maxQueuedBytes}. */
    CONNECTION_FULL,
    /** The queue of the worker has reached {@link TransportSettings#queuedRequests}. */
    WORKER_FULL
  }

  /** Called when a message to or from another node was dropped. */
  default void onTrafficDropped(TrafficDrop reason) {}

  /** A step by which a replica that is too far behind for the log gets a snapshot. */
  enum SnapshotStep {
    /** The leader writes the snapshot. */
    EXPORT,
    /** The replica copies the snapshot to its node. */
    FETCH,
    /** The replica replaces its state with the snapshot. */
    INSTALL
  }

  /**
   * Called when a step of a snapshot has succeeded.
   *
   * @param bytes size of the snapshot; for a fetch that was resumed, only what it fetched itself
   * @param nanos duration of the step
   */
  default void onSnapshot(GroupId group, SnapshotStep step, long bytes, long nanos) {}

  /** Called when a step of a snapshot has failed; Raft retries it. */
  default void onSnapshotFailed(GroupId group, SnapshotStep step) {}

  /** Called when a proposal has failed; {@code BUSY} means back-pressure. */
  default void onProposalFailed(GroupId group, ConsensusException.Kind kind) {}
}
