package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.peer.HelloReply;
import java.util.List;

/** How an empty node gets its cluster. */
public sealed interface FormationOutcome {

  /**
   * This node is the founder, and must create the cluster. The decision is durable.
   *
   * @param identity the identity to store
   */
  record Founded(NodeIdentity identity) implements FormationOutcome {}

  /**
   * Nodes of a cluster have responded.
   *
   * @param node the id of this node
   * @param replies the replies of these nodes, at least one; not checked in any way
   * @param sentMillis the wall clock when the hellos were sent
   */
  record Found(NodeId node, List<HelloReply> replies, long sentMillis) implements FormationOutcome {
    public Found {
      replies = List.copyOf(replies);
    }
  }
}
