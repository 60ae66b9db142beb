package io.fjordmq.broker.alarms;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Cluster problems that this node detects without asking other nodes, from its own replicas and its
 * copy of the metadata.
 */
final class ClusterConditions {
  /** The maximum number of ranges with an alarm of each kind, so that an outage stays readable. */
  static final int MAX_RANGES = 100;

  /** The subject of the alarm that stands for all further ranges. */
  private static final String OTHERS = "others";

  /** The name of the metadata group in alarms about ranges without a leader. */
  private static final String METADATA = "metadata";

  private static final Comparator<NodeId> BY_ID = Comparator.comparing(NodeId::value);

  private final ClusterState state;

  private ClusterConditions(ClusterState state) {
    this.state = state;
  }

  static List<AlarmCondition> of(ClusterState state) {
    ClusterConditions cluster = new ClusterConditions(state);
    List<AlarmCondition> conditions = new ArrayList<>();
    cluster.addNodes(conditions);
    if (!state.hasMetadataLeader()) {
      conditions.add(
          withoutLeader(
              METADATA,
              "The metadata group has no leader, so the cluster cannot change; start the nodes that"
                  + " are down, and check the network between the nodes"));
    }
    cluster.addRangesOfDownNodes(conditions);
    cluster.addRanges(
        conditions,
        AlarmKind.RANGE_WITHOUT_LEADER,
        replica -> hasNoLeader(replica) && !cluster.isExplained(replica),
        replica ->
            withoutLeader(
                id(replica),
                ("Range %s has no leader, so it is unavailable; check the nodes that hold it,"
                        + " and the network between them")
                    .formatted(id(replica))));
    cluster.addRanges(
        conditions,
        AlarmKind.REPLICA_HALTED,
        replica -> replica.failure() != null,
        replica ->
            AlarmCondition.of(
                AlarmKind.REPLICA_HALTED,
                id(replica),
                ("The replica of range %s is halted: %s; the node repairs the replica"
                        + " automatically; if this alarm stays active, fix the cause, then run"
                        + " bin/fjordmq ranges rebuild %s --node %s")
                    .formatted(id(replica), replica.failure(), id(replica), state.self()),
                "range",
                id(replica)));
    cluster.addRanges(
        conditions,
        AlarmKind.RANGE_UNDER_REPLICATED,
        cluster::isUnderReplicated,
        cluster::underReplicated);
    return conditions;
  }

  private void addNodes(List<AlarmCondition> conditions) {
    for (Member member : state.members().byNode().values()) {
      if (!member.isAlive() && !member.node().equals(state.self())) {
        String id = member.node().value();
        String name = state.nodeNames().apply(member.node());
        conditions.add(
            AlarmCondition.of(
                AlarmKind.NODE_DOWN,
                id,
                "Node %s at %s is down; start it, or remove it if it will not return"
                    .formatted(describe(member.node()), member.address()),
                "node",
                id,
                "name",
                name));
      }
    }
  }

  /**
   * When a node dies, it is missing from many ranges: one alarm for all of them says more than one
   * for each. All nodes report the same, because they know the ranges from the metadata.
   */
  private void addRangesOfDownNodes(List<AlarmCondition> conditions) {
    Map<NodeId, Integer> underReplicated = new TreeMap<>(BY_ID);
    Map<List<NodeId>, Integer> withoutLeader = new LinkedHashMap<>();
    for (RangeDescriptor range : state.ranges()) {
      List<NodeId> down = down(range.replicas().voters());
      if (hasMajority(range, down)) {
        down.forEach(node -> underReplicated.merge(node, 1, Integer::sum));
      } else {
        withoutLeader.merge(down, 1, Integer::sum);
      }
    }
    underReplicated.forEach(
        (node, count) ->
            conditions.add(
                AlarmCondition.of(
                    AlarmKind.RANGE_UNDER_REPLICATED,
                    node.value(),
                    ("Node %s is down: %s fewer live voters than configured; start the node, or"
                            + " replace it if it will not return")
                        .formatted(describe(node), have(count)),
                    "node",
                    node.value(),
                    "ranges",
                    count.toString())));
    withoutLeader.forEach((nodes, count) -> conditions.add(withoutMajority(nodes, count)));
  }

  private AlarmCondition withoutMajority(List<NodeId> down, int ranges) {
    String ids = down.stream().map(NodeId::value).collect(Collectors.joining(", "));
    return AlarmCondition.of(
        AlarmKind.RANGE_WITHOUT_LEADER,
        ids,
        ("Nodes down: %s; %s no majority and therefore no leader; start these nodes, or, if they"
                + " will not return, recover from the loss of the majority")
            .formatted(
                down.stream().map(this::describe).collect(Collectors.joining(", ")), have(ranges)),
        "nodes",
        ids,
        "ranges",
        Integer.toString(ranges));
  }

  private static String have(int ranges) {
    return ranges == 1 ? "1 range has" : ranges + " ranges have";
  }

  private List<NodeId> down(Set<NodeId> voters) {
    return voters.stream()
        .filter(voter -> !state.members().alive().contains(voter))
        .sorted(BY_ID)
        .toList();
  }

  private static boolean hasMajority(RangeDescriptor range, List<NodeId> down) {
    return 2 * down.size() < range.replicas().voters().size();
  }

  /** Whether nodes that are down keep the range from having a leader. */
  private boolean isExplained(ReplicaStatus replica) {
    return state.ranges().stream()
        .filter(range -> range.id().equals(replica.descriptor().id()))
        .anyMatch(range -> !hasMajority(range, down(range.replicas().voters())));
  }

  private String describe(NodeId node) {
    String name = state.nodeNames().apply(node);
    return node.value() + (name.equals(node.value()) ? "" : " (" + name + ")");
  }

  private static AlarmCondition withoutLeader(String range, String message) {
    return AlarmCondition.of(AlarmKind.RANGE_WITHOUT_LEADER, range, message, "range", range);
  }

  private void addRanges(
      List<AlarmCondition> conditions,
      AlarmKind kind,
      Predicate<ReplicaStatus> holds,
      Function<ReplicaStatus, AlarmCondition> condition) {
    List<ReplicaStatus> found =
        state.replicas().stream()
            .filter(holds)
            .sorted(
                Comparator.comparing((ReplicaStatus replica) -> replica.descriptor().id().store())
                    .thenComparing(replica -> replica.descriptor().id().number()))
            .toList();
    found.stream().limit(MAX_RANGES).map(condition).forEach(conditions::add);
    if (found.size() > MAX_RANGES) {
      int others = found.size() - MAX_RANGES;
      conditions.add(
          AlarmCondition.of(
              kind,
              OTHERS,
              "%d further ranges have the same problem; bin/fjordmq ranges list shows them"
                  .formatted(others),
              "count",
              Integer.toString(others)));
    }
  }

  private static String id(ReplicaStatus replica) {
    return replica.descriptor().id().toString();
  }

  private static boolean hasNoLeader(ReplicaStatus replica) {
    return replica.failure() == null
        && (replica.group() == null || replica.group().leadership().leader() == null);
  }

  /**
   * Whether a range has fewer voters than are possible, although none of them is down. Only the
   * leader knows the voters for certain, so each range is reported once.
   */
  private boolean isUnderReplicated(ReplicaStatus replica) {
    return replica.leading()
        && replica.voters().size() < wantedVoters(replica)
        && down(Set.copyOf(replica.voters())).isEmpty();
  }

  private int wantedVoters(ReplicaStatus replica) {
    int configured = state.votersByStore().getOrDefault(replica.descriptor().id().store(), 1);
    return Math.min(configured, state.members().alive().size());
  }

  private AlarmCondition underReplicated(ReplicaStatus replica) {
    return AlarmCondition.of(
        AlarmKind.RANGE_UNDER_REPLICATED,
        id(replica),
        ("Range %s has %d voters, not %d; the cluster adds voters automatically; if it does not,"
                + " bin/fjordmq status shows why")
            .formatted(id(replica), replica.voters().size(), wantedVoters(replica)),
        "range",
        id(replica),
        "voters",
        Integer.toString(replica.voters().size()),
        "wanted_voters",
        Integer.toString(wantedVoters(replica)));
  }
}
