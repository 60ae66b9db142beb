package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * The leader of a group, as far as one replica knows.
 *
 * @param term the replica's current term
 * @param leader null while unknown
 * @param leading true between {@link ReplicatedState#onLeaderStart} and {@link
 *     ReplicatedState#onLeaderStop} of this replica: it is the leader and has applied every entry
 *     that earlier leaders committed
 */
public record Leadership(long term, @Nullable NodeId leader, boolean leading) {}
