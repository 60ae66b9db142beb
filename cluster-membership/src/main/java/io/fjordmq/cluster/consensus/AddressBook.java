package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Resolves node ids to current addresses. Queried before every connection attempt, because
 * addresses may change.
 */
@FunctionalInterface
public interface AddressBook {

  /**
   * Returns the current address of the node; null if it is unknown. Called from any thread; must
   * not block.
   */
  @Nullable InetSocketAddress addressOf(NodeId node);

  /**
   * Returns whether the node has been removed from the cluster. A removed node may not know of its
   * removal yet and may still use old group configurations, so its messages are rejected. Called
   * from any thread for every message; must not block.
   */
  default boolean isRemoved(NodeId node) {
    return false;
  }
}
