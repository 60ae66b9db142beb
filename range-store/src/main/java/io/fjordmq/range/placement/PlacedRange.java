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

/** All that is known of one range: what was published, who holds it, who leads it. */
final class PlacedRange {
  private final RangeDescriptor published;
  private final Map<NodeId, ReplicaReport> holders;
  private final List<NodeId> retired = new ArrayList<>();
  private final Set<NodeId> withoutParent = new HashSet<>();
  private final @Nullable NodeId leader;

  PlacedRange(RangeDescriptor published, Map<NodeId, RangeReports> reports) {
    this.published = published;
    this.holders = new TreeMap<>(Nodes.ORDER);
    reports.forEach(
        (node, all) -> {
          ReplicaReport replica = all.find(published.id());
          if (replica != null) {
            holders.put(node, replica);
          } else if (all.replicas().stream().anyMatch(this::isKeptAwayBy)) {
            withoutParent.add(node);
          }
          if (all.retired().contains(published.id())) {
            retired.add(node);
          }
        });
    retired.sort(Nodes.ORDER);
    this.leader = newestLeader();
  }

  /** Of two that believe to lead, the one of the later term does. */
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

  /** Null if no node says that it leads: then nothing can be done for the range. */
  @Nullable NodeId leader() {
    return leader;
  }

  ReplicaReport leaderReport() {
    return Objects.requireNonNull(holders.get(leader));
  }

  /** As its leader has them; as they were published while there is none. */
  ReplicaSet replicas() {
    ReplicaReport report = leader == null ? null : holders.get(leader);
    ReplicaSet actual = report == null ? null : report.replicas();
    return actual == null ? published.replicas() : actual;
  }

  RangeDescriptor published() {
    return published;
  }

  /** Whether it has another shape than what was published: it was split, merged or renewed. */
  boolean isReshaped() {
    return holders.values().stream()
        .anyMatch(holder -> holder.epoch().version() > published.epoch().version());
  }

  /** The latest that anybody knows. */
  long newestVersion() {
    return holders.values().stream()
        .mapToLong(holder -> holder.epoch().version())
        .reduce(published.epoch().version(), Math::max);
  }

  /**
   * For which merge it stands still, as its replicas say that are not behind; null if it goes on.
   */
  ReplicaStatus.@Nullable Merging merging() {
    long newest = newestVersion();
    return holders.values().stream()
        .filter(holder -> holder.merging() != null && holder.epoch().version() == newest)
        .findFirst()
        .map(ReplicaReport::merging)
        .orElse(null);
  }

  /** As it is reported, not as it was published. */
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

  /** The nodes that say they have a replica, of the group or not, in a fixed order. */
  Map<NodeId, ReplicaReport> holders() {
    return holders;
  }

  /** The nodes that had a replica and may not have one again before it is forgotten. */
  List<NodeId> retired() {
    return retired;
  }

  /**
   * The nodes whose replica is to be replaced by an empty one: it leaves the group and is removed;
   * once that is forgotten, the node is a candidate like any other. None unless a majority of the
   * voters is in service without them: they may hold the only copy of some entries.
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

  /** A replica that comes with a split never does where that of the parent is broken. */
  private boolean isKeptAwayBy(ReplicaReport other) {
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
