package io.fjordmq.broker.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.DescriptorUse;
import io.fjordmq.broker.net.CertificateStatus;
import io.fjordmq.broker.revocation.ExpiringList;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.LevelStatus;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.metadata.LevelRecord;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.comparison.ReplicaDifference;
import io.fjordmq.range.store.ReplicaStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What counts as a condition, and what the operator reads about it. */
class ConditionsTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final DescriptorUse FEW = new DescriptorUse(10, 1_000);
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  private final TestMembership membership = new TestMembership(N1);

  private static List<String> messages(List<AlarmCondition> conditions) {
    return conditions.stream()
        .map(condition -> condition.kind().label() + ": " + condition.message())
        .toList();
  }

  private static List<String> ofNode(NodeHealth health) {
    return messages(health.conditions(AlarmSettings.DEFAULTS));
  }

  @Test
  void shouldReportNothingAboutAHealthyNode() {
    assertThat(ofNode(new NodeHealth(null, null, null, null, -999, FEW))).isEmpty();
    DescriptorUse unknown = new DescriptorUse(5, Long.MAX_VALUE);
    assertThat(ofNode(new NodeHealth(null, null, null, null, 0, unknown))).isEmpty();
  }

  @Test
  void shouldReportEachProblemOfANode() {
    NodeHealth health =
        new NodeHealth(
            "heap 90 %", "1 MiB free", "EIO", "ENOSPC", 1_000, new DescriptorUse(800, 1_000));
    assertThat(ofNode(health))
        .containsExactly(
            "overloaded: The node rejects new work: heap 90 %; reduce the load, or give the node"
                + " more memory or CPU",
            "disk_low: Low disk space: 1 MiB free",
            "storage_failed: Writes to the state database fail: EIO; free space or repair the disk,"
                + " and the node continues by itself",
            "raft_log_failed: Writes to the log database fail: ENOSPC; free space or repair the"
                + " disk, and the node continues by itself",
            "clock_skew: The wall clock of the host is 1000 ms ahead of cluster time; synchronize"
                + " the clocks (NTP); after a long stop of all nodes, run bin/fjordmq cluster"
                + " accept-clock",
            "file_descriptors_high: 800 of 1000 file descriptors are in use; raise the limit"
                + " (ulimit -n), then restart the node");
    assertThat(ofNode(new NodeHealth(null, null, null, null, -2_500, FEW)).toString())
        .contains("2500 ms behind cluster time");
  }

  @Test
  void shouldReportCertificates() {
    List<CertificateStatus> certificates =
        List.of(
            new CertificateStatus("tlsListener", "a.pem", NOW.plusSeconds(86_400 * 22), null),
            new CertificateStatus("wssListener", "b.pem", NOW.plusSeconds(86_400), "no key"),
            new CertificateStatus("httpConfig", "c.pem", NOW.minusSeconds(1), null));
    assertThat(messages(CertificateConditions.of(certificates, NOW, AlarmSettings.DEFAULTS)))
        .containsExactly(
            "certificate_expiring: The certificate of wssListener expires at"
                + " 2030-01-02T00:00:00Z; replace b.pem",
            "certificate_reload_rejected: The changed certificate of wssListener cannot be loaded,"
                + " so the previous one stays in use: no key; correct b.pem or its key before the"
                + " node restarts",
            "certificate_expiring: The certificate of httpConfig expired at 2029-12-31T23:59:59Z;"
                + " replace c.pem");
  }

  @Test
  void shouldReportRevocationLists() {
    List<ExpiringList> lists =
        List.of(
            new ExpiringList("CN=One", "one.crl", NOW.plusSeconds(60)),
            new ExpiringList("CN=Two", "two.crl", NOW));
    List<AlarmCondition> conditions = RevocationListConditions.of(lists, NOW);
    assertThat(messages(conditions))
        .containsExactly(
            "revocation_list_expiring: The revocation list of CN=One expires at"
                + " 2030-01-01T00:01:00Z; after that, certificates of this authority cannot be"
                + " checked; replace one.crl",
            "revocation_list_expiring: The revocation list of CN=Two expired at"
                + " 2030-01-01T00:00:00Z; certificates of this authority cannot be checked;"
                + " replace two.crl");
    assertThat(conditions.get(0).subject()).isEqualTo("CN=One");
  }

  @Test
  void shouldDocumentEveryAlarm() throws IOException {
    String document = Files.readString(Path.of("../docs/API.md"));
    for (AlarmKind kind : AlarmKind.values()) {
      String name = "`" + kind.label() + "`";
      assertThat(document.lines())
          .as(name)
          .anyMatch(
              line ->
                  line.startsWith("| `")
                      && line.contains(name)
                      && line.contains(" * |") == kind.isDelayed());
    }
  }

  private List<String> ofCluster(boolean hasMetadataLeader, ReplicaStatus... replicas) {
    return messages(
        ClusterConditions.of(
            new ClusterState(
                N1,
                membership.members(),
                node -> "host-" + node,
                List.of(replicas),
                Arrays.stream(replicas).map(ReplicaStatus::descriptor).toList(),
                Map.of("inbox", 3),
                hasMetadataLeader,
                new LevelStatus(LevelRecord.INITIAL, Collections.emptySortedMap()),
                List.of())));
  }

  @Test
  void shouldReportReplicasThatDiffer() {
    byte[] from = {1, 'a'};
    List<AlarmCondition> conditions =
        ComparisonConditions.of(
            List.of(
                new ReplicaDifference(
                    new RangeId("inbox", 7),
                    12,
                    NOW,
                    List.of(N1, N2, N3),
                    List.of(N3),
                    from,
                    null,
                    true),
                new ReplicaDifference(
                    new RangeId("inbox", 8),
                    9,
                    NOW,
                    List.of(N1, N2),
                    List.of(),
                    from,
                    from,
                    false)));
    assertThat(messages(conditions))
        .containsExactly(
            "replicas_differ: The replicas of range inbox-7 on nodes n1, n2, n3 hold different"
                + " rows: those on these nodes differ from the majority: n3; keep the logs, then"
                + " run bin/fjordmq ranges rebuild inbox-7 --node n3",
            "replicas_differ: The replicas of range inbox-8 on nodes n1, n2 hold different rows,"
                + " which a second comparison did not confirm: no majority shows which one is"
                + " right; keep the data directories and see docs/RUNBOOKS.md");
    assertThat(conditions.get(0).subject()).isEqualTo("inbox-7");
    assertThat(conditions.get(0).details())
        .containsEntry("slice", "[0161, end)")
        .containsEntry("index", "12")
        .containsEntry("deviating", "n3");
  }

  @Test
  void shouldReportAnUpgradeThatIsNotFinished() {
    AlarmSettings settings = AlarmSettings.DEFAULTS;
    LevelRecord begun = new LevelRecord(1, 0, NOW.toEpochMilli(), 0, 0);
    SortedMap<NodeId, SupportedLevels> supported =
        new TreeMap<>(Comparator.comparing(NodeId::value));
    supported.put(N1, new SupportedLevels(1, 2));
    supported.put(new NodeId("z"), SupportedLevels.FIRST_ONLY);
    LevelStatus status = new LevelStatus(begun, supported);
    Instant due = NOW.plus(settings.upgradePending());
    assertThat(UpgradeConditions.of(status, due.minusMillis(1), settings)).isEmpty();
    assertThat(messages(UpgradeConditions.of(status, due, settings)))
        .containsExactly(
            "upgrade_pending: The upgrade from cluster level 1 to 2 was begun at"
                + " 2030-01-01T00:00:00Z and is not finished: upgrade these nodes, remove them, or"
                + " go back on the others: z");
    supported.put(new NodeId("z"), new SupportedLevels(1, 2));
    assertThat(messages(UpgradeConditions.of(status, due, settings)).get(0))
        .endsWith("all nodes support it; run 'bin/fjordmq cluster upgrade'");
  }

  private static ReplicaStatus replica(
      int number, @Nullable NodeId leader, @Nullable String failure, NodeId... voters) {
    ReplicaSet set = ReplicaSet.ofVoters(voters);
    GroupStatus group =
        new GroupStatus(new Leadership(1, leader, N1.equals(leader)), set, 1, 1, 1, 1);
    RangeDescriptor range =
        new RangeDescriptor(new RangeId("inbox", number), KeyInterval.ALL, RangeEpoch.FIRST, set);
    return new ReplicaStatus(N1, range, N1.equals(leader), 1, 0, 0, 1, group, null, failure);
  }

  @Test
  void shouldReportNothingAboutAHealthyCluster() {
    membership.setUp(N2, 1);
    assertThat(ofCluster(true, replica(1, N1, null, N1, N2), replica(2, N2, null, N2))).isEmpty();
  }

  @Test
  void shouldReportNodesThatAreDownAndRangesThatLackThem() {
    membership.setUp(N2, 1);
    membership.setUp(N3, 1);
    membership.setState(N3, Member.State.DOWN);
    assertThat(ofCluster(true, replica(1, N1, null, N1, N2, N3), replica(2, N2, null, N1, N2, N3)))
        .containsExactly(
            "node_down: Node n3 (host-n3) at n3:8899 is down; start it, or remove it if it will not"
                + " return",
            "range_under_replicated: Node n3 (host-n3) is down: 2 ranges have fewer live voters"
                + " than configured; start the node, or replace it if it will not return");
  }

  @Test
  void shouldReportRangesOfSeveralDownNodesOnce() {
    membership.setUp(N2, 1);
    membership.setUp(N3, 1);
    membership.setState(N2, Member.State.DOWN);
    membership.setState(N3, Member.State.DOWN);
    assertThat(
            ofCluster(
                true,
                replica(1, null, null, N1, N2, N3),
                replica(2, null, null, N1, N2, N3),
                replica(3, null, null, N3),
                replica(4, N1, null, N1)))
        .containsExactly(
            "node_down: Node n2 (host-n2) at n2:8899 is down; start it, or remove it if it will not"
                + " return",
            "node_down: Node n3 (host-n3) at n3:8899 is down; start it, or remove it if it will not"
                + " return",
            "range_without_leader: Nodes down: n2 (host-n2), n3 (host-n3); 2 ranges have no"
                + " majority and therefore no leader; start these nodes, or recover from the lost"
                + " majority if they will not return",
            "range_without_leader: Nodes down: n3 (host-n3); 1 range has no majority and therefore"
                + " no leader; start these nodes, or recover from the lost majority if they will"
                + " not return");
  }

  @Test
  void shouldReportRangesWithFewerVotersThanConfigured() {
    membership.setUp(N2, 1);
    membership.setUp(N3, 1);
    assertThat(ofCluster(true, replica(1, N1, null, N1, N2)))
        .containsExactly(
            "range_under_replicated: Range inbox-1 has 2 voters, not 3; the cluster adds voters by"
                + " itself; if it does not, bin/fjordmq status says why");
  }

  @Test
  void shouldReportRangesWithoutLeaderAndHaltedReplicas() {
    assertThat(ofCluster(false, replica(2, null, "disk full", N1), replica(1, null, null, N1)))
        .containsExactly(
            "range_without_leader: The metadata group has no leader, so the cluster cannot change;"
                + " start the nodes that are down, and check the network between the nodes",
            "range_without_leader: Range inbox-1 has no leader, so it is unavailable; check the"
                + " nodes that hold it, and the network between them",
            "replica_halted: The replica of range inbox-2 is halted: disk full; the node repairs it"
                + " by itself; if this alarm stays, remove the cause, then run bin/fjordmq ranges"
                + " rebuild inbox-2 --node n1");
  }

  @Test
  void shouldSummarizeRangesIfThereAreMany() {
    List<ReplicaStatus> many = new ArrayList<>();
    for (int i = 0; i < ClusterConditions.MAX_RANGES + 7; i++) {
      many.add(replica(i, null, null, N1));
    }
    assertThat(ofCluster(true, many.toArray(ReplicaStatus[]::new)))
        .hasSize(ClusterConditions.MAX_RANGES + 1)
        .endsWith(
            "range_without_leader: 7 further ranges have the same problem; bin/fjordmq ranges list"
                + " shows them");
  }
}
