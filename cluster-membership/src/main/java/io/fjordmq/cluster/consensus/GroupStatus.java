package io.fjordmq.cluster.consensus;

/**
 * Status of one replica.
 *
 * @param leadership leader of the group as far as the replica knows
 * @param replicas current members
 * @param firstIndex index of the first entry that the log still holds
 * @param lastIndex index of the last log entry
 * @param committedIndex index of the last entry known to be committed
 * @param appliedIndex index of the last applied entry
 * @param followerLag number of log entries by which the slowest follower is behind, as far as this
 *     leader knows; 0 on followers
 */
public record GroupStatus(
    Leadership leadership,
    ReplicaSet replicas,
    long firstIndex,
    long lastIndex,
    long committedIndex,
    long appliedIndex,
    long followerLag) {

  /** Creates the status of a replica that knows of no follower. */
  public GroupStatus(
      Leadership leadership,
      ReplicaSet replicas,
      long firstIndex,
      long lastIndex,
      long committedIndex,
      long appliedIndex) {
    this(leadership, replicas, firstIndex, lastIndex, committedIndex, appliedIndex, 0);
  }
}
