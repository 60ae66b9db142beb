package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.range.RangeDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * Figures of one replica.
 *
 * @param leading whether it serves clients
 * @param appliedIndex last entry in its state
 * @param logBytesSinceCheckpoint what a restart would have to apply again
 * @param senders clients it remembers
 * @param group the Raft side; null while the replica is closed
 * @param failure why it is halted; null if it is in service
 */
public record ReplicaStatus(
    RangeDescriptor descriptor,
    boolean leading,
    long appliedIndex,
    long logBytesSinceCheckpoint,
    int senders,
    @Nullable GroupStatus group,
    @Nullable String failure) {}
