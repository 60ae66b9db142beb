package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests to the replicas of this node, and those for other nodes to another transport.
 * Thread-safe; does not block.
 */
final class LocalTransport implements RangeTransport {
  private final NodeId self;
  private final RangeTransport otherNodes;
  private final Map<RangeId, SupervisedReplica> replicas;
  private final StoredReplicas stored;
  private final boolean fromOtherNodes;

  /**
   * @param otherNodes sends requests to other nodes
   * @param replicas the replicas that this node keeps open
   * @param fromOtherNodes whether other nodes have encoded the entries, so that they are checked
   *     before they are proposed
   */
  LocalTransport(
      NodeId self,
      RangeTransport otherNodes,
      Map<RangeId, SupervisedReplica> replicas,
      StoredReplicas stored,
      boolean fromOtherNodes) {
    this.self = self;
    this.otherNodes = otherNodes;
    this.replicas = replicas;
    this.stored = stored;
    this.fromOtherNodes = fromOtherNodes;
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    if (!node.equals(self)) {
      otherNodes.propose(node, range, entry, reply);
      return;
    }
    RangeReplica replica = resolveReplica(range, entry, reply);
    if (replica == null) {
      return;
    }
    if (fromOtherNodes) {
      replica.proposeReceived(entry, reply);
    } else {
      replica.propose(entry, reply);
    }
  }

  @Override
  public void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long minIndex,
      byte[] query,
      Consumer<RangeResult> reply) {
    if (!node.equals(self)) {
      otherNodes.query(node, range, epochVersion, minIndex, query, reply);
      return;
    }
    RangeReplica replica = resolveReplica(range, null, reply);
    if (replica != null) {
      replica.query(epochVersion, minIndex, query, reply);
    }
  }

  /**
   * Returns the open replica of the range; null after responding to the request if there is none.
   */
  private @Nullable RangeReplica resolveReplica(
      RangeId range, byte @Nullable [] entry, Consumer<RangeResult> reply) {
    SupervisedReplica supervised = replicas.get(range);
    RangeReplica replica = supervised == null ? null : supervised.replica();
    if (replica == null) {
      RangeResult merged = stored.responseOfAbsorbed(range, entry);
      String notOpen = "node " + self + " has no open replica of range " + range;
      reply.accept(merged != null ? merged : new RangeResult.Unavailable(notOpen));
    }
    return replica;
  }

  /** Refuses requests for other nodes. */
  record Unconnected(NodeId self) implements RangeTransport {
    @Override
    public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
      reply.accept(unavailable(node, range));
    }

    @Override
    public void query(
        NodeId node,
        RangeId range,
        long epochVersion,
        long minIndex,
        byte[] query,
        Consumer<RangeResult> reply) {
      reply.accept(unavailable(node, range));
    }

    private RangeResult unavailable(NodeId node, RangeId range) {
      return new RangeResult.Unavailable(
          "range %s is led by %s; this node (%s) has no connection to other nodes"
              .formatted(range, node, self));
    }
  }
}
