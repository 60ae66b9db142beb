package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.LeaderAnswer.NotRenewed;
import io.fjordmq.cluster.membership.LeaderRequest.Renewal;
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
 * What the leader of the metadata makes of whom the nodes do not reach, in one term. Two counted
 * nodes that do not reach each other wait for each other, so one of them has to go: its lease is
 * not renewed, and it is not counted again before all counted nodes and it reach each other. No
 * clock, no thread.
 */
final class ReachabilityReports {
  private static final Logger LOG = LoggerFactory.getLogger(ReachabilityReports.class);

  /** Who goes: the most cuts, then the most lives, so that of two nodes it is always the same. */
  private static final Comparator<Member> WORST_LAST_OF_EQUAL_CUTS =
      Comparator.comparingLong(Member::incarnation).thenComparing(member -> member.node().value());

  private final NodeId self;
  private final long validMillis;
  private final Map<NodeId, Report> reports = new HashMap<>();
  private Set<NodeId> told = Set.of();

  private record Report(long incarnation, Set<NodeId> unreachable, long atMillis) {}

  /** Two counted nodes, in the order of their names. */
  private record Cut(NodeId one, NodeId other) {
    boolean has(NodeId node) {
      return one.equals(node) || other.equals(node);
    }
  }

  /**
   * @param self the leader, which goes on: without it nobody else would have a lease
   * @param validMillis how long a report counts
   */
  ReachabilityReports(NodeId self, long validMillis) {
    this.self = self;
    this.validMillis = validMillis;
  }

  /** A node says whom it does not reach; returns why its lease is not renewed, null if it is. */
  @Nullable NotRenewed judge(NodeId from, Renewal renewal, Members members, long nowMillis) {
    reports.put(from, new Report(renewal.incarnation(), renewal.unreachable(), nowMillis));
    List<Cut> cuts = cuts(members, nowMillis);
    Set<NodeId> going = cuts.isEmpty() ? Set.of() : going(cuts, members);
    tell(going, cuts);
    return going.contains(from) ? new NotRenewed(apart(from, others(from, cuts))) : null;
  }

  private static String apart(NodeId node, Set<NodeId> others) {
    return "the network is cut between node %s and %s".formatted(node, names(others));
  }

  private static String names(Set<NodeId> nodes) {
    return nodes.stream().map(NodeId::value).sorted().collect(Collectors.joining(", "));
  }

  private static Set<NodeId> others(NodeId node, List<Cut> cuts) {
    return cuts.stream()
        .filter(cut -> cut.has(node))
        .map(cut -> cut.one.equals(node) ? cut.other : cut.one)
        .collect(Collectors.toSet());
  }

  private void tell(Set<NodeId> going, List<Cut> cuts) {
    for (NodeId node : going) {
      if (!told.contains(node)) {
        LOG.warn(
            "Refusing to renew a lease so that the other nodes can continue: {} node={}",
            apart(node, others(node, cuts)),
            node);
      }
    }
    told = going;
  }

  /** Between counted nodes that both renew their leases; it is enough that one of them says so. */
  private List<Cut> cuts(Members members, long nowMillis) {
    List<Cut> cuts = new ArrayList<>();
    List<NodeId> counted =
        members.counted().stream()
            .filter(node -> reportOf(node, members, nowMillis) != null)
            .sorted(Comparator.comparing(NodeId::value))
            .toList();
    for (int i = 0; i < counted.size(); i++) {
      for (int j = i + 1; j < counted.size(); j++) {
        if (areApart(counted.get(i), counted.get(j), members, nowMillis)) {
          cuts.add(new Cut(counted.get(i), counted.get(j)));
        }
      }
    }
    return cuts;
  }

  private boolean areApart(NodeId one, NodeId other, Members members, long nowMillis) {
    return names(one, other, members, nowMillis) || names(other, one, members, nowMillis);
  }

  private boolean names(NodeId from, NodeId node, Members members, long nowMillis) {
    Report report = reportOf(from, members, nowMillis);
    return report != null && report.unreachable.contains(node);
  }

  /** Of its present life, and recent. */
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

  /** As few as possible, and never so many that less than a majority of the members is counted. */
  private Set<NodeId> going(List<Cut> cuts, Members members) {
    List<Cut> left = new ArrayList<>(cuts);
    Set<NodeId> going = new HashSet<>();
    int mayGo = members.counted().size() - (members.byNode().size() / 2 + 1);
    while (going.size() < mayGo && !left.isEmpty()) {
      NodeId worst = worst(left, members);
      going.add(worst);
      left.removeIf(cut -> cut.has(worst));
    }
    return going;
  }

  private NodeId worst(List<Cut> cuts, Members members) {
    Map<Member, Integer> found = new HashMap<>();
    for (Cut cut : cuts) {
      for (NodeId node : List.of(cut.one, cut.other)) {
        if (!node.equals(self)) {
          found.merge(Objects.requireNonNull(members.find(node)), 1, Integer::sum);
        }
      }
    }
    return found.entrySet().stream()
        .max(
            Map.Entry.<Member, Integer>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey(WORST_LAST_OF_EQUAL_CUTS)))
        .orElseThrow()
        .getKey()
        .node();
  }

  /**
   * Why this node, which is STARTING, is not to be counted yet; null if it is. It and every counted
   * node must have said that they reach each other.
   */
  @Nullable String whyNotCounted(NodeId node, Members members, long nowMillis) {
    if (reportOf(node, members, nowMillis) == null) {
      return "it has not told the metadata leader yet which nodes it reaches";
    }
    Set<NodeId> silent = new HashSet<>();
    Set<NodeId> apart = new HashSet<>();
    for (NodeId counted : members.counted()) {
      if (reportOf(counted, members, nowMillis) == null) {
        silent.add(counted);
      } else if (areApart(node, counted, members, nowMillis)) {
        apart.add(counted);
      }
    }
    if (!apart.isEmpty()) {
      return apart(node, apart);
    }
    return silent.isEmpty()
        ? null
        : "these nodes have not renewed their leases yet: " + names(silent);
  }
}
