package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The health of the ranges of a store in the whole cluster, as far as one node knows from the
 * metadata and its own replicas. Nodes may disagree for a few seconds.
 *
 * @param ranges all ranges
 * @param withoutLeader ranges without a leader
 * @param underReplicated ranges with fewer voters in service than they should have
 */
public record RangeHealth(int ranges, int withoutLeader, int underReplicated) {
  /** The health of a store without ranges. */
  public static final RangeHealth EMPTY = new RangeHealth(0, 0, 0);

  /**
   * Returns the health as a node sees it. The arguments may be from slightly different moments.
   *
   * @param published the ranges of the store, as published in the metadata
   * @param own this node's replicas
   * @param voters the configured number of voters
   */
  public static RangeHealth of(
      Collection<RangeDescriptor> published,
      Map<RangeId, ReplicaStatus> own,
      Members members,
      int voters) {
    int withoutLeader = 0;
    int underReplicated = 0;
    int wanted = Math.min(voters, members.byNode().size());
    Set<NodeId> alive = members.alive();
    for (RangeDescriptor range : published) {
      ReplicaStatus replica = own.get(range.id());
      Collection<NodeId> replicas = range.replicas().voters();
      long inService = replicas.stream().filter(node -> isInService(node, alive, replica)).count();
      if (isWithoutLeader(replica, replicas.size(), inService)) {
        withoutLeader++;
      }
      if (inService < Math.max(wanted, replicas.size())) {
        underReplicated++;
      }
    }
    return new RangeHealth(published.size(), withoutLeader, underReplicated);
  }

  private static boolean isInService(
      NodeId node, Set<NodeId> alive, @Nullable ReplicaStatus replica) {
    boolean isHalted = replica != null && replica.node().equals(node) && replica.failure() != null;
    return !isHalted && alive.contains(node);
  }

  private static boolean isWithoutLeader(
      @Nullable ReplicaStatus replica, int voters, long inService) {
    GroupStatus group = replica == null ? null : replica.group();
    return group == null ? inService * 2 <= voters : group.leadership().leader() == null;
  }
}
