package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.NodeRecord;
import org.jspecify.annotations.Nullable;

/** Whether a node may be removed from the cluster, and the change that does it. */
final class Removal {
  private Removal() {}

  /**
   * The change of the metadata that removes a node for ever.
   *
   * @param self the node that is asked, which cannot remove itself
   * @throws MembershipException if there is no such node, it is not DOWN, or the metadata need it
   */
  static Change of(NodeId node, NodeId self, MetadataGroup metadata, Members members)
      throws MembershipException {
    MetadataRecord record = metadata.view().get(NodeRecord.key(node));
    String obstacle =
        node.equals(self)
            ? "this is node " + node + " itself: it can leave, but not remove itself"
            : obstacle(node, record == null ? null : NodeRecord.decode(record));
    if (obstacle == null
        && !MetadataReplicas.canDoWithout(node, metadata.status().replicas(), members)) {
      obstacle = "the metadata would have no majority without node " + node;
    }
    if (obstacle != null || record == null) {
      throw new MembershipException(String.valueOf(obstacle));
    }
    byte[] removed = NodeRecord.decode(record).in(NodeRecord.State.REMOVED).encode();
    return Change.put(record.key(), removed, record.version());
  }

  private static @Nullable String obstacle(NodeId node, @Nullable NodeRecord now) {
    if (now == null) {
      return "there is no node " + node + " in this cluster";
    } else if (now.state() == NodeRecord.State.REMOVED) {
      return "node " + node + " has been removed already";
    } else if (now.state() != NodeRecord.State.DOWN) {
      return "node %s is %s: stop it first, or let it leave by itself; only a node that is DOWN can go"
          .formatted(node, now.state());
    }
    return null;
  }
}
