package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Where nodes listen now. Asked at every attempt to connect, because addresses may change. */
@FunctionalInterface
public interface AddressBook {

  /** Null if the node is not known. Must be quick; may be called from any thread. */
  @Nullable InetSocketAddress addressOf(NodeId node);

  /**
   * Whether the node has gone for good. It may not know, and take part in groups as they were once:
   * what it says is not heard. As above; asked for every message.
   */
  default boolean isRemoved(NodeId node) {
    return false;
  }
}
