package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.NodeRecord;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a node can be removed from the cluster, and creates the change that removes it.
 */
final class NodeRemoval {
  private NodeRemoval() {}

  /**
   * Returns the metadata change that permanently removes a node.
   *
   * @param self the node that executes the command; it cannot remove itself
   * @throws MembershipException if the node does not exist, is not DOWN, or is needed for a
   *     majority of the metadata
   */
  static Change of(NodeId node, NodeId self, MetadataGroup metadata, Members members)
      throws MembershipException {
    MetadataRecord record = metadata.view().get(NodeRecord.key(node));
    String obstacle =
        node.equals(self)
            ? "node %s cannot remove itself; decommission it, or run the command on another node"
                .formatted(node)
            : obstacle(node, record == null ? null : NodeRecord.decode(record));
    if (obstacle == null
        && !MetadataReplicaPlan.keepsMajorityWithout(node, metadata.status().replicas(), members)) {
      obstacle =
          "the metadata group would have no majority without node "
              + node
              + "; start more of its voters first";
    }
    if (obstacle != null || record == null) {
      throw new MembershipException(String.valueOf(obstacle));
    }
    byte[] removed = NodeRecord.decode(record).withState(NodeRecord.State.REMOVED).encode();
    return Change.put(record.key(), removed, record.version());
  }

  private static @Nullable String obstacle(NodeId node, @Nullable NodeRecord now) {
    if (now == null) {
      return "no node " + node + " in this cluster; run status to list the nodes";
    } else if (now.state() == NodeRecord.State.REMOVED) {
      return "node " + node + " has already been removed";
    } else if (now.state() != NodeRecord.State.DOWN) {
      return "node %s is %s: stop it first, or decommission it; only a node that is DOWN can be removed"
          .formatted(node, now.state());
    }
    return null;
  }
}
