package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A range as the driver knows it: its published descriptor, the replicas that nodes report, and its
 * leader.
 */
final class PlacedRange {
  private final RangeDescriptor published;
  private final Map<NodeId, ReplicaReport> holders;
  private final List<NodeId> retired = new ArrayList<>();
  private final Set<NodeId> withoutParent = new HashSet<>();
  private final @Nullable NodeId leader;

  PlacedRange(RangeDescriptor published, Map<NodeId, RangeReports> reports) {
    this.published = published;
    this.holders = new TreeMap<>(NodeSets.ORDER);
    reports.forEach(
        (node, all) -> {
          ReplicaReport replica = all.find(published.id());
          if (replica != null) {
            holders.put(node, replica);
          } else if (all.replicas().stream().anyMatch(this::isBlockedBy)) {
            withoutParent.add(node);
          }
          if (all.retired().contains(published.id())) {
            retired.add(node);
          }
        });
    retired.sort(NodeSets.ORDER);
    this.leader = newestLeader();
  }

  /**
   * Returns the leader. If two replicas report that they lead, it is the one with the higher term.
   */
  private @Nullable NodeId newestLeader() {
    NodeId found = null;
    long term = -1;
    for (Map.Entry<NodeId, ReplicaReport> holder : holders.entrySet()) {
      if (holder.getValue().isLeading() && holder.getValue().term() > term) {
        found = holder.getKey();
        term = holder.getValue().term();
      }
    }
    return found;
  }

  RangeId id() {
    return published.id();
  }

  /**
   * Returns the leader; null if no node reports that it leads the range, in which case no step is
   * possible.
   */
  @Nullable NodeId leader() {
    return leader;
  }

  ReplicaReport leaderReport() {
    return Objects.requireNonNull(holders.get(leader));
  }

  /** Returns the replicas as the leader reports them, or as published while there is no leader. */
  ReplicaSet replicas() {
    ReplicaReport report = leader == null ? null : holders.get(leader);
    ReplicaSet actual = report == null ? null : report.replicas();
    return actual == null ? published.replicas() : actual;
  }

  RangeDescriptor published() {
    return published;
  }

  /**
   * Returns whether the range has changed since it was published: it was split or merged, or its
   * epoch was raised.
   */
  boolean isChangedSincePublished() {
    return holders.values().stream()
        .anyMatch(holder -> holder.epoch().version() > published.epoch().version());
  }

  /** Returns the highest epoch version that any node reports or that is published. */
  long newestVersion() {
    return holders.values().stream()
        .mapToLong(holder -> holder.epoch().version())
        .reduce(published.epoch().version(), Math::max);
  }

  /**
   * Returns the merge that the range is frozen for, according to its up-to-date replicas; null if
   * it is not frozen.
   */
  ReplicaStatus.@Nullable Merging merging() {
    long newest = newestVersion();
    return holders.values().stream()
        .filter(holder -> holder.merging() != null && holder.epoch().version() == newest)
        .findFirst()
        .map(ReplicaReport::merging)
        .orElse(null);
  }

  /** Returns the range as reported, not as published. */
  RangeDescriptor current() {
    long newest = newestVersion();
    return holders.values().stream()
        .filter(holder -> holder.epoch().version() == newest)
        .findFirst()
        .map(holder -> new RangeDescriptor(id(), holder.keys(), holder.epoch(), replicas()))
        .orElse(published);
  }

  boolean isPublished() {
    return published.replicas().equals(replicas());
  }

  Set<NodeId> members() {
    Set<NodeId> members = new HashSet<>(replicas().voters());
    members.addAll(replicas().learners());
    return members;
  }

  /** Returns the nodes that report a replica, members of the group or not, in a fixed order. */
  Map<NodeId, ReplicaReport> holders() {
    return holders;
  }

  /**
   * Returns the nodes whose replica was removed and that cannot have a new one before the old one
   * is forgotten.
   */
  List<NodeId> retired() {
    return retired;
  }

  /**
   * Returns the nodes whose replica is to be replaced by an empty one: it leaves the group and is
   * removed; after it is forgotten, the node is a candidate like any other. Empty unless a majority
   * of the voters is in service without them, because they may hold the only copy of some entries.
   */
  Set<NodeId> rebuilding() {
    Set<NodeId> broken = broken();
    Set<NodeId> voters = replicas().voters();
    long healthy =
        voters.stream().filter(node -> !broken.contains(node) && isInService(node)).count();
    return leader != null && healthy * 2 > voters.size() ? broken : Set.of();
  }

  private Set<NodeId> broken() {
    Set<NodeId> broken = new HashSet<>(withoutParent);
    broken.retainAll(members());
    holders.forEach(
        (node, replica) -> {
          if (replica.broken()) {
            broken.add(node);
          }
        });
    return broken;
  }

  /**
   * Returns whether the other replica is a broken one that holds keys of this range. A replica that
   * comes with a split never arrives on a node where the parent's replica is broken.
   */
  private boolean isBlockedBy(ReplicaReport other) {
    return other.broken()
        && other.range().store().equals(id().store())
        && !other.range().equals(id())
        && other.keys().overlaps(published.interval());
  }

  boolean isInService(NodeId node) {
    ReplicaReport replica = holders.get(node);
    return replica != null && replica.isInService();
  }
}
