package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.LeaderRequest.Renewal;
import io.fjordmq.cluster.membership.LeaderResponse.NotRenewed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evaluates at the metadata leader, during one term, which nodes cannot reach each other. If two
 * counted nodes cannot reach each other, they wait for each other, so one of them has to leave
 * service: its lease is not renewed, and it is not counted again until it and all counted nodes can
 * reach each other. Uses neither a clock nor a thread.
 */
final class ReachabilityReports {
  private static final Logger LOG = LoggerFactory.getLogger(ReachabilityReports.class);

  /**
   * Breaks ties between nodes with equally many partitions: the highest incarnation leaves service,
   * then the highest id, so that the choice between two nodes is always the same.
   */
  private static final Comparator<Member> BY_INCARNATION_THEN_ID =
      Comparator.comparingLong(Member::incarnation).thenComparing(member -> member.node().value());

  private final NodeId self;
  private final long validMillis;
  private final Map<NodeId, Report> reports = new HashMap<>();
  private Set<NodeId> loggedRefusals = Set.of();

  private record Report(long incarnation, Set<NodeId> unreachable, long atMillis) {}

  /** Two counted nodes that cannot reach each other, ordered by id. */
  private record Partition(NodeId first, NodeId second) {
    boolean contains(NodeId node) {
      return first.equals(node) || second.equals(node);
    }
  }

  /**
   * @param self the leader, which never leaves service: without it no node could renew its lease
   * @param validMillis validity of a report
   */
  ReachabilityReports(NodeId self, long validMillis) {
    this.self = self;
    this.validMillis = validMillis;
  }

  /**
   * Records the report of a node. Returns the reason why its lease must not be renewed; null if it
   * may be renewed.
   */
  @Nullable NotRenewed onRenewal(NodeId from, Renewal renewal, Members members, long nowMillis) {
    reports.put(from, new Report(renewal.incarnation(), renewal.unreachable(), nowMillis));
    List<Partition> partitions = partitions(members, nowMillis);
    Set<NodeId> refused = partitions.isEmpty() ? Set.of() : selectRefused(partitions, members);
    logRefusedRenewals(refused, partitions);
    return refused.contains(from)
        ? new NotRenewed(partitionMessage(from, others(from, partitions)))
        : null;
  }

  private static String partitionMessage(NodeId node, Set<NodeId> others) {
    return "network partition between node %s and %s".formatted(node, names(others));
  }

  private static String names(Set<NodeId> nodes) {
    return nodes.stream().map(NodeId::value).sorted().collect(Collectors.joining(", "));
  }

  private static Set<NodeId> others(NodeId node, List<Partition> partitions) {
    return partitions.stream()
        .filter(partition -> partition.contains(node))
        .map(partition -> partition.first.equals(node) ? partition.second : partition.first)
        .collect(Collectors.toSet());
  }

  private void logRefusedRenewals(Set<NodeId> refused, List<Partition> partitions) {
    for (NodeId node : refused) {
      if (!loggedRefusals.contains(node)) {
        LOG.warn(
            "Refusing to renew a lease so that the other nodes can continue: {} node={}",
            partitionMessage(node, others(node, partitions)),
            node);
      }
    }
    loggedRefusals = refused;
  }

  /**
   * Finds the partitions between counted nodes that both renew their leases. A report by one of the
   * two nodes is enough.
   */
  private List<Partition> partitions(Members members, long nowMillis) {
    List<Partition> partitions = new ArrayList<>();
    List<NodeId> counted =
        members.counted().stream()
            .filter(node -> reportOf(node, members, nowMillis) != null)
            .sorted(Comparator.comparing(NodeId::value))
            .toList();
    for (int i = 0; i < counted.size(); i++) {
      for (int j = i + 1; j < counted.size(); j++) {
        if (isPartitioned(counted.get(i), counted.get(j), members, nowMillis)) {
          partitions.add(new Partition(counted.get(i), counted.get(j)));
        }
      }
    }
    return partitions;
  }

  private boolean isPartitioned(NodeId first, NodeId second, Members members, long nowMillis) {
    return reportsUnreachable(first, second, members, nowMillis)
        || reportsUnreachable(second, first, members, nowMillis);
  }

  private boolean reportsUnreachable(NodeId from, NodeId node, Members members, long nowMillis) {
    Report report = reportOf(from, members, nowMillis);
    return report != null && report.unreachable.contains(node);
  }

  /** Returns the recent report of the current incarnation; null if there is none. */
  private @Nullable Report reportOf(NodeId node, Members members, long nowMillis) {
    Report report = reports.get(node);
    Member member = members.find(node);
    return report != null
            && member != null
            && report.incarnation == member.incarnation()
            && nowMillis - report.atMillis <= validMillis
        ? report
        : null;
  }

  /**
   * Selects the nodes whose leases are not renewed: greedily as few as possible, and never so many
   * that less than a majority of the members remains counted.
   */
  private Set<NodeId> selectRefused(List<Partition> partitions, Members members) {
    List<Partition> remaining = new ArrayList<>(partitions);
    Set<NodeId> refused = new HashSet<>();
    int maxRefused = members.counted().size() - (members.byNode().size() / 2 + 1);
    while (refused.size() < maxRefused && !remaining.isEmpty()) {
      NodeId worst = mostPartitioned(remaining, members);
      refused.add(worst);
      remaining.removeIf(partition -> partition.contains(worst));
    }
    return refused;
  }

  private NodeId mostPartitioned(List<Partition> partitions, Members members) {
    Map<Member, Integer> partitionCounts = new HashMap<>();
    for (Partition partition : partitions) {
      for (NodeId node : List.of(partition.first, partition.second)) {
        if (!node.equals(self)) {
          partitionCounts.merge(Objects.requireNonNull(members.find(node)), 1, Integer::sum);
        }
      }
    }
    return partitionCounts.entrySet().stream()
        .max(
            Map.Entry.<Member, Integer>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey(BY_INCARNATION_THEN_ID)))
        .orElseThrow()
        .getKey()
        .node();
  }

  /**
   * Returns why this STARTING node cannot be counted yet; null if it can. The node and every
   * counted node must have reported that they can reach each other.
   */
  @Nullable String notCountedReason(NodeId node, Members members, long nowMillis) {
    if (reportOf(node, members, nowMillis) == null) {
      return "no reachability report from this node yet";
    }
    Set<NodeId> notReporting = new HashSet<>();
    Set<NodeId> unreachable = new HashSet<>();
    for (NodeId counted : members.counted()) {
      if (reportOf(counted, members, nowMillis) == null) {
        notReporting.add(counted);
      } else if (isPartitioned(node, counted, members, nowMillis)) {
        unreachable.add(counted);
      }
    }
    if (!unreachable.isEmpty()) {
      return partitionMessage(node, unreachable);
    }
    return notReporting.isEmpty()
        ? null
        : "waiting for these nodes to renew their leases: " + names(notReporting);
  }
}
