package io.fjordmq.cluster.consensus;

/**
 * Told what the Raft groups of a node do, for metrics and logs. Called on the groups' own threads:
 * must be quick and must not throw.
 */
public interface ConsensusObserver {

  /** Ignores everything. */
  ConsensusObserver NONE = new ConsensusObserver() {};

  /**
   * A batch of entries was written to the log and, with fsync on, is on the medium.
   *
   * @param entries how many
   * @param bytes their encoded size
   * @param nanos how long write and sync took, encoding excluded
   */
  default void appended(GroupId group, int entries, long bytes, long nanos) {}

  /** This node's replica became leader and is ready to serve. */
  default void elected(GroupId group, long term) {}

  /** This node's replica leads no more. */
  default void steppedDown(GroupId group) {}

  /** This node's replica failed and takes no part until reopened. */
  default void halted(GroupId group, ConsensusException cause) {}

  /** Why something for or from another node was dropped. Raft sends it again in its own time. */
  enum TrafficDrop {
    /** More than {@link TransportSettings#maxQueuedBytes} wait for the connection. */
    CONNECTION_FULL,
    /** More than {@link TransportSettings#queuedRequests} wait for the worker. */
    WORKER_FULL
  }

  /** Traffic between nodes was dropped. */
  default void trafficDropped(TrafficDrop reason) {}

  /** A proposal failed; {@code BUSY} means back-pressure. */
  default void proposalFailed(GroupId group, ConsensusException.Kind kind) {}
}
