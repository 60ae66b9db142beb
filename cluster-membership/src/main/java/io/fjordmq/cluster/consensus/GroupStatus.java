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
 */
public record GroupStatus(
    Leadership leadership,
    ReplicaSet replicas,
    long firstIndex,
    long lastIndex,
    long committedIndex,
    long appliedIndex) {}
