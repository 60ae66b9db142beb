package io.fjordmq.broker.alarms;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Problems of the cluster that this node can see without asking others: ranges that it has replicas
 * of, and nodes in its copy of the metadata.
 */
final class ClusterConditions {
  /** The maximum number of ranges with an alarm of each kind, so that an outage stays readable. */
  static final int MAX_RANGES = 100;

  /** The subject of the alarm that stands for all further ranges. */
  private static final String OTHERS = "others";

  /** The name of the metadata group in alarms about ranges without a leader. */
  private static final String METADATA = "metadata";

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
          withoutLeader(METADATA, "The metadata group has no leader: the cluster cannot change"));
    }
    cluster.addRanges(
        conditions,
        AlarmKind.RANGE_WITHOUT_LEADER,
        ClusterConditions::hasNoLeader,
        replica ->
            withoutLeader(
                id(replica),
                "Range %s has no leader, so it is unavailable".formatted(id(replica))));
    cluster.addRanges(
        conditions,
        AlarmKind.REPLICA_HALTED,
        replica -> replica.failure() != null,
        replica ->
            AlarmCondition.of(
                AlarmKind.REPLICA_HALTED,
                id(replica),
                "The replica of range %s is halted: %s".formatted(id(replica), replica.failure()),
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
                "Node %s%s at %s is down"
                    .formatted(id, name.equals(id) ? "" : " (" + name + ")", member.address()),
                "node",
                id,
                "name",
                name));
      }
    }
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
              "%d further ranges have the same problem".formatted(others),
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

  /** Only the leader knows the voters for certain, so each range is reported once. */
  private boolean isUnderReplicated(ReplicaStatus replica) {
    return replica.leading() && liveVoters(replica) < wantedVoters(replica);
  }

  private long liveVoters(ReplicaStatus replica) {
    return replica.voters().stream().filter(state.members().alive()::contains).count();
  }

  private int wantedVoters(ReplicaStatus replica) {
    int configured = state.votersByStore().getOrDefault(replica.descriptor().id().store(), 1);
    int possible = Math.min(configured, state.members().alive().size());
    return Math.max(possible, replica.voters().size());
  }

  private AlarmCondition underReplicated(ReplicaStatus replica) {
    List<String> missing =
        replica.voters().stream()
            .filter(voter -> !state.members().alive().contains(voter))
            .map(NodeId::value)
            .sorted()
            .toList();
    return AlarmCondition.of(
        AlarmKind.RANGE_UNDER_REPLICATED,
        id(replica),
        "Range %s has %d live voters, not %d%s"
            .formatted(
                id(replica),
                liveVoters(replica),
                wantedVoters(replica),
                missing.isEmpty() ? "" : "; nodes down: " + String.join(", ", missing)),
        "range",
        id(replica),
        "voters",
        Long.toString(liveVoters(replica)),
        "wanted_voters",
        Integer.toString(wantedVoters(replica)));
  }
}
