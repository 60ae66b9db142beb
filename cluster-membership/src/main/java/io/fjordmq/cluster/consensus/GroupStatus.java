package io.fjordmq.cluster.consensus;

/**
 * Figures of one replica.
 *
 * @param leadership who leads
 * @param replicas current members
 * @param firstIndex first entry the log still holds
 * @param lastIndex last entry of the log
 * @param committedIndex last entry known to be committed
 * @param appliedIndex last entry applied
 */
public record GroupStatus(
    Leadership leadership,
    ReplicaSet replicas,
    long firstIndex,
    long lastIndex,
    long committedIndex,
    long appliedIndex) {}
