package io.fjordmq.broker.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.broker.alarms.AlarmKind;
import io.fjordmq.broker.delivery.DeliveryStatus;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.limits.OverloadReading;
import io.fjordmq.broker.nodes.NodesStatus;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.session.DropReason;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.client.ClientStatus;
import io.fjordmq.range.kv.KvMetrics;
import io.fjordmq.range.placement.RangeLoadReport;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.router.RouteStoreStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events reported by the components appear on the metrics page. */
class BrokerMetricsTest {
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
    assertThat(metrics.scrape().lines())
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
    metrics.consensus().onAppended(new GroupId("inbox-1"), 3, 300, 900_000);

    assertShown("fjordmq_range_commands_total{store=\"inbox\"} 10.0");
    assertShown("fjordmq_range_checkpoint_seconds_count 1");
    assertShown("fjordmq_raft_entries_total 3.0");
    assertShown("fjordmq_raft_fsync_seconds_bucket{le=\"0.001\"} 1");
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
    metrics.unwatch();
    assertShown("fjordmq_inbox_messages 44.0");
  }

  private void assertShown(String line) {
    assertThat(metrics.scrape().lines()).contains(line);
  }

  private static NodeStatus status() {
    NodeId self = new NodeId("self");
    ReplicaSet members = ReplicaSet.ofVoters(self);
    GroupStatus group = new GroupStatus(new Leadership(1, self, true), members, 10, 20, 20, 18);
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
        -1_500);
  }
}
