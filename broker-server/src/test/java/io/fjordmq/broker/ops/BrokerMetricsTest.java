package io.fjordmq.broker.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.broker.alarms.AlarmKind;
import io.fjordmq.broker.delivery.DeliveryStatus;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.http.MetricsFormat;
import io.fjordmq.broker.limits.OverloadReading;
import io.fjordmq.broker.nodes.NodesStatus;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.session.DropReason;
import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.ConsensusObserver.SnapshotStep;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.client.ClientStatus;
import io.fjordmq.range.kv.KvMetrics;
import io.fjordmq.range.placement.RangeHealth;
import io.fjordmq.range.placement.RangeLoadReport;
import io.fjordmq.range.placement.StepKind;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.router.RouteStoreStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events reported by the components appear on the metrics page. */
class BrokerMetricsTest {
  private static final NodeAddress ADDRESS = new NodeAddress("127.0.0.1", 1);
  private static final RangeId RANGE = new RangeId("inbox", 1);

  private final BrokerMetrics metrics = new BrokerMetrics("1.2.3");

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void shouldCountSessionEvents() {
    metrics.sessions().onConnected(5, true);
    metrics.sessions().onConnected(4, false);
    metrics.sessions().onDisconnected(CloseReason.KEEP_ALIVE_TIMEOUT);
    metrics.sessions().onReceived(Qos.AT_LEAST_ONCE, 100);
    metrics.sessions().onSent(Qos.EXACTLY_ONCE, 70);
    metrics.sessions().onPacketReceived(3);
    metrics.sessions().onDropped(DropReason.QUEUE_FULL, 7);
    metrics.sessions().onAcknowledged(3_000_000);
    metrics.sessions().addInflight(5);
    metrics.sessions().addInflight(-2);
    metrics.sessions().addQueued(4, 400);

    assertShown("fjordmq_build_info{java=\"" + Runtime.version() + "\",version=\"1.2.3\"} 1");
    assertShown("fjordmq_connections 1.0");
    assertShown("fjordmq_connections_opened_total{protocol=\"5.0\",session=\"persistent\"} 1.0");
    assertShown("fjordmq_connections_closed_total{reason=\"keep_alive_timeout\"} 1.0");
    assertShown("fjordmq_messages_received_total{qos=\"1\"} 1.0");
    assertShown("fjordmq_messages_received_bytes_total{qos=\"1\"} 100.0");
    assertShown("fjordmq_messages_sent_bytes_total{qos=\"2\"} 70.0");
    assertShown("fjordmq_packets_received_total{type=\"publish\"} 1.0");
    assertShown("fjordmq_messages_dropped_total{at=\"session\",reason=\"queue_full\"} 7.0");
    assertShown("fjordmq_publish_ack_seconds_bucket{le=\"0.0025\"} 0");
    assertShown("fjordmq_publish_ack_seconds_bucket{le=\"0.005\"} 1");
    assertShown("fjordmq_messages_inflight 3.0");
    assertShown("fjordmq_messages_queued_bytes 400.0");
  }

  @Test
  void shouldShowTheCertificateThatExpiresFirst() {
    metrics.listeners().onCertificate("mqttServerConfig.tlsListener", Instant.ofEpochSecond(2_000));
    metrics.http().onCertificate(Instant.ofEpochSecond(1_000));
    assertThat(metrics.scrape(MetricsFormat.PROMETHEUS).lines())
        .anyMatch(line -> line.matches("fjordmq_tls_certificate_expiry\\S* 1000.0"));
  }

  @Test
  void shouldCountActiveAlarms() {
    assertShown("fjordmq_alarms_active{name=\"disk_low\"} 0.0");
    metrics.alarms().onActive(AlarmKind.DISK_LOW, 2);
    assertShown("fjordmq_alarms_active{name=\"disk_low\"} 2.0");
  }

  @Test
  void shouldShowCountersUnderTheNamesOfEmqx() {
    metrics.sessions().onReceived(Qos.AT_LEAST_ONCE, 100);
    metrics.sessions().onReceived(Qos.AT_MOST_ONCE, 100);
    metrics.sessions().onPacketReceived(8);
    metrics.sessions().onDropped(DropReason.QUEUE_FULL, 7);
    metrics.inboxes().onDropped("expired", 4);
    assertThat(metrics.counters())
        .containsEntry("messages.received", 2L)
        .containsEntry("messages.qos1.received", 1L)
        .containsEntry("packets.received", 1L)
        .containsEntry("packets.subscribe.received", 1L)
        .containsEntry("messages.dropped", 11L)
        .containsEntry("delivery.dropped", 7L)
        .containsEntry("delivery.dropped.queue_full", 7L)
        .containsEntry("delivery.dropped.expired", 4L)
        .containsEntry("client.connected", 0L);
  }

  @Test
  void shouldCountDeliveryAndInboxEvents() {
    metrics.delivery().onPublished(PublishOutcome.NOT_DURABLE);
    metrics.delivery().onDropped("a_new_reason", 2);
    metrics.delivery().onDropped("a_new_reason", 3);
    metrics.inboxes().onDropped("expired", 4);

    assertShown("fjordmq_publishes_total{outcome=\"not_durable\"} 1.0");
    assertShown("fjordmq_messages_dropped_total{at=\"delivery\",reason=\"a_new_reason\"} 5.0");
    assertShown("fjordmq_messages_dropped_total{at=\"inbox\",reason=\"expired\"} 4.0");
    assertThat(metrics.traffic().publishesDropped()).isEqualTo(2 + 3 + 4);
  }

  @Test
  void shouldCountRangeAndGroupEvents() {
    metrics.ranges().onBatchSent(RANGE, 10, 1_000);
    metrics.ranges().onCheckpoint(5_000_000);
    metrics.ranges().onCompared(RANGE, "different");
    metrics.consensus().onAppended(new GroupId("inbox-1"), 3, 300, 900_000);

    assertShown("fjordmq_range_commands_total{store=\"inbox\"} 10.0");
    assertShown("fjordmq_range_checkpoint_seconds_count 1");
    assertShown("fjordmq_range_comparisons_total{result=\"different\",store=\"inbox\"} 1.0");
    assertShown("fjordmq_range_comparisons_total{result=\"equal\",store=\"inbox\"} 0.0");
    assertShown("fjordmq_raft_entries_total 3.0");
    assertShown("fjordmq_raft_fsync_seconds_bucket{le=\"0.001\"} 1");
  }

  @Test
  void shouldCountSnapshotsByStep() {
    GroupId group = new GroupId("inbox-1");
    metrics.consensus().onSnapshot(group, SnapshotStep.EXPORT, 5_000, 40_000_000);
    metrics.consensus().onSnapshot(group, SnapshotStep.INSTALL, 700, 2_000_000_000);
    metrics.consensus().onSnapshotFailed(group, SnapshotStep.FETCH);

    assertShown("fjordmq_raft_snapshot_seconds_count{step=\"export\"} 1");
    assertShown("fjordmq_raft_snapshot_seconds_count{step=\"fetch\"} 0");
    assertShown("fjordmq_raft_snapshot_seconds_sum{step=\"install\"} 2.0");
    assertShown("fjordmq_raft_snapshot_bytes_total{step=\"export\"} 5000.0");
    assertShown("fjordmq_raft_snapshot_bytes_total{step=\"install\"} 700.0");
    assertShown("fjordmq_raft_snapshots_failed_total{step=\"fetch\"} 1.0");
  }

  @Test
  void shouldCountPlacementStepsByKindAndResult() {
    metrics.ranges().onPlacementStep(RANGE, StepKind.TRANSFER_LEADERSHIP.label(), true);
    metrics.ranges().onPlacementStep(RANGE, StepKind.SPLIT.label(), false);

    assertShown("fjordmq_placement_steps_total{result=\"done\",step=\"transfer_leadership\"} 1.0");
    assertShown("fjordmq_placement_steps_total{result=\"failed\",step=\"split\"} 1.0");
    assertShown("fjordmq_placement_steps_total{result=\"done\",step=\"split\"} 0.0");
  }

  @Test
  void shouldAttributeTheRouteBarrierToTheSlowestNodes() {
    metrics.routes().onWaited(List.of(new NodeId("n2")), 250_000_000);
    metrics.routes().onWaited(List.of(new NodeId("n2"), new NodeId("n3")), 1_500_000_000);
    metrics.routes().onWaited(List.of(), 1_000_000);

    assertShown("fjordmq_route_barrier_seconds_count 3");
    assertShown("fjordmq_route_barrier_wait_seconds_total{node=\"n2\"} 1.75");
    assertShown("fjordmq_route_barrier_wait_seconds_total{node=\"n3\"} 1.5");
  }

  @Test
  void shouldLimitTheNumberOfNodesInLabels() {
    for (int i = 0; i < RouteMeters.MAX_NODES + 10; i++) {
      metrics.routes().onWaited(List.of(new NodeId("n" + i)), 1_000_000_000);
    }
    String name = "fjordmq_route_barrier_wait_seconds_total{";
    assertThat(metrics.scrape(MetricsFormat.PROMETHEUS).lines().filter(l -> l.startsWith(name)))
        .hasSize(RouteMeters.MAX_NODES + 1);
    assertShown(name + "node=\"other\"} 10.0");
  }

  @Test
  void shouldShowTheConnectionsOfEachListener() {
    AtomicInteger open = new AtomicInteger(3);
    metrics.listeners().onListening("tcpListener", "tcp", 100, open::get);
    metrics.listeners().onListening("wsListener", "ws", 50, () -> 0);

    String tcp = "{listener=\"tcpListener\",protocol=\"tcp\"} ";
    assertShown("fjordmq_listener_connections" + tcp + "3.0");
    assertShown("fjordmq_listener_connections_limit" + tcp + "100.0");
    assertShown("fjordmq_listener_connections{listener=\"wsListener\",protocol=\"ws\"} 0.0");
    open.set(7);
    assertShown("fjordmq_listener_connections" + tcp + "7.0");
  }

  @Test
  void shouldShowWhetherTheNodeIsReady() {
    assertShown("fjordmq_ready 0.0");
    metrics.watchReadiness(() -> true);
    assertShown("fjordmq_ready 1.0");
  }

  @Test
  void shouldMeasureThePublishToDeliverLatency() {
    metrics.sessions().onDelivered(0);
    metrics.sessions().onDelivered(30);

    assertShown("fjordmq_publish_deliver_seconds_bucket{le=\"0.001\"} 1");
    assertShown("fjordmq_publish_deliver_seconds_bucket{le=\"0.05\"} 2");
    assertShown("fjordmq_publish_deliver_seconds_sum 0.03");
  }

  @Test
  void shouldKeepTheLastGaugeValuesWhenComponentsClose() {
    assertShown("fjordmq_raft_groups 0.0");
    metrics.watch(BrokerMetricsTest::status);
    assertShown("fjordmq_inbox_messages 44.0");
    assertShown("fjordmq_ranges{store=\"inbox\"} 1.0");
    assertShown("fjordmq_ranges_led{store=\"inbox\"} 1.0");
    assertShown("fjordmq_range_largest_bytes{store=\"inbox\"} 7000.0");
    assertShown("fjordmq_ranges{store=\"dist\"} 0.0");
    assertShown("fjordmq_route_cache_hits_total 4.0");
    assertShown("fjordmq_raft_groups 2.0");
    assertShown("fjordmq_raft_log_entries 22.0");
    assertShown("fjordmq_raft_unapplied 4.0");
    assertShown("fjordmq_storage_write_stopped 1.0");
    assertShown("fjordmq_clock_difference_seconds -1.5");
    assertShown("fjordmq_heap_used_ratio 0.61");
    assertShown("fjordmq_direct_memory_used_ratio 0.62");
    assertShown("fjordmq_event_loop_lag_seconds 0.063");
    assertShown("fjordmq_range_busiest_ratio{store=\"inbox\"} 0.345");
    assertShown("fjordmq_serving 1.0");
    assertShown("fjordmq_lease_remaining_seconds 2.5");
    assertShown("fjordmq_cluster_nodes{state=\"up\"} 1.0");
    assertShown("fjordmq_cluster_nodes{state=\"down\"} 1.0");
    assertShown("fjordmq_cluster_nodes{state=\"draining\"} 0.0");
    assertShown("fjordmq_range_replica_lag_entries{store=\"inbox\"} 6.0");
    assertShown("fjordmq_range_replica_lag_entries{store=\"dist\"} 0.0");
    assertShown("fjordmq_cluster_ranges{store=\"inbox\"} 4.0");
    assertShown("fjordmq_cluster_ranges_without_leader{store=\"inbox\"} 1.0");
    assertShown("fjordmq_cluster_ranges_under_replicated{store=\"inbox\"} 2.0");
    metrics.unwatch();
    assertShown("fjordmq_inbox_messages 44.0");
  }

  private void assertShown(String line) {
    assertThat(metrics.scrape(MetricsFormat.PROMETHEUS).lines()).contains(line);
  }

  private static NodeStatus status() {
    NodeId self = new NodeId("self");
    NodeId other = new NodeId("other");
    ReplicaSet members = ReplicaSet.ofVoters(self);
    GroupStatus group = new GroupStatus(new Leadership(1, self, true), members, 10, 20, 20, 18, 6);
    RangeDescriptor descriptor =
        new RangeDescriptor(RANGE, KeyInterval.ALL, RangeEpoch.FIRST, members);
    ClientStatus idle = new ClientStatus(List.of(), 0);
    return new NodeStatus(
        new DeliveryStatus(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, new NodesStatus(1, 2, 3, 4)),
        new RouteStoreStatus(1, 2, 3, 4, 5, 6, 7, 8),
        new InboxStoreStatus(11, 22, 33, 44),
        55,
        List.of(new ReplicaStatus(self, descriptor, true, 18, 0, 0, 1, group, null, null)),
        Map.of(
            RANGE,
            new RangeLoadReport(60, 1_200, 800, 345, 9_000, 7_000, "cold", null, false, false)),
        group,
        Map.of("dist", idle, "inbox", idle, "retain", idle),
        new KvMetrics(5, 1, 2, 3, 4, true, 0),
        new NodeStatus.OverloadStatus(true, new OverloadReading(61, 62, 63)),
        new NodeStatus.Disk(false, false, 5, false),
        -1_500,
        new NodeStatus.Cluster(
            true,
            2_500,
            ClusterLevel.fixed(2, new SupportedLevels(1, 3)),
            new Members(
                1,
                Map.of(
                    self, new Member(self, ADDRESS, 1, Member.State.UP),
                    other, new Member(other, ADDRESS, 1, Member.State.DOWN))),
            Map.of("inbox", new RangeHealth(4, 1, 2))));
  }
}
