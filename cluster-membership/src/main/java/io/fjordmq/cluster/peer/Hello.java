package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartStamp;
import org.jspecify.annotations.Nullable;

/**
 * What a node says of itself when it asks who is at an address.
 *
 * @param clusterId null before it belongs to one
 * @param node null before it is one
 * @param address of its cluster port; null if it has none yet
 * @param start of its data directory; null before it is a node
 */
public record Hello(
    @Nullable String clusterId,
    @Nullable NodeId node,
    @Nullable NodeAddress address,
    @Nullable StartStamp start) {

  /** Of a node that has never belonged to a cluster. */
  public static final Hello NOBODY = new Hello(null, null, null, null);
}
