package io.fjordmq.broker.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.ops.ClusterStatus.LoadLine;
import io.fjordmq.broker.ops.ClusterStatus.NodeLine;
import io.fjordmq.broker.ops.ClusterStatus.PinLine;
import io.fjordmq.broker.ops.ClusterStatus.RangeLine;
import io.fjordmq.broker.ops.ClusterStatus.ReplicaLine;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterStatusTest {

  @Test
  void shouldFormatNodesAndRangesAsText() {
    ClusterStatus status =
        new ClusterStatus(
            List.of(
                new NodeLine("3f9c0a7be21d", "broker-1", "10.0.0.11:8899", "up", 4, true, true),
                new NodeLine(
                    "51ab22c09e7f", "b2", "broker-2.example:8899", "draining", 1, false, false),
                new NodeLine(
                    "77aa9120cd34", "77aa9120cd34", "10.0.0.13:8899", "down", 2, false, false)),
            List.of(
                new RangeLine(
                    "dist-1",
                    "3f9c0a7be21d",
                    List.of(new ReplicaLine("3f9c0a7be21d", 0), new ReplicaLine("51ab22c09e7f", 5)),
                    List.of(new ReplicaLine("77aa9120cd34", -1)),
                    "[, ∞)",
                    new LoadLine(12_345, 61, 14_300, 5_000_000, "one_hot_key"),
                    new PinLine(List.of("3f9c0a7be21d", "51ab22c09e7f"), "51ab22c09e7f"),
                    null),
                new RangeLine(
                    "inbox-10",
                    null,
                    List.of(new ReplicaLine("51ab22c09e7f", 1_200)),
                    List.of(),
                    "[0800, 0c3f)",
                    null,
                    null,
                    "51ab22c09e7f halted: disk full")),
            List.of("inbox has one voter: a node that is lost takes its part of the data along"));
    assertThat(status.text())
        .isEqualTo(
            """
            node 3f9c0a7be21d  broker-1      10.0.0.11:8899         up        incarnation 4, this node, leads the metadata group
            node 51ab22c09e7f  b2            broker-2.example:8899  draining  incarnation 1
            node 77aa9120cd34  77aa9120cd34  10.0.0.13:8899         down      incarnation 2
            range dist-1    leader 3f9c0a7be21d  voters 3f9c0a7be21d, 51ab22c09e7f  learners 77aa9120cd34 (unresponsive)  keys [, ∞)  12345 requests/s, busy 61 %, 14 µs of storage per command, 4882 KiB: one hot key  pinned to 3f9c0a7be21d, 51ab22c09e7f with leader 51ab22c09e7f
            range inbox-10  leader none  voters 51ab22c09e7f (1200 behind)  keys [0800, 0c3f)  51ab22c09e7f halted: disk full
            inbox has one voter: a node that is lost takes its part of the data along
            """);
  }
}
