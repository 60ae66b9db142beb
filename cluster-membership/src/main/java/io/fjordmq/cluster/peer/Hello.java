package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartStamp;
import org.jspecify.annotations.Nullable;

/**
 * Describes the sender to the node behind an address, which responds with a {@link HelloReply}.
 *
 * @param clusterId null before the node belongs to a cluster
 * @param node null before the node has an id
 * @param address the address of its cluster port; null before the node has an id
 * @param start the start of its data directory; null before the node has an id
 */
public record Hello(
    @Nullable String clusterId,
    @Nullable NodeId node,
    @Nullable NodeAddress address,
    @Nullable StartStamp start) {

  /** The hello of a node that has never belonged to a cluster. */
  public static final Hello ANONYMOUS = new Hello(null, null, null, null);
}
