package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.admin.NodeNames;
import io.fjordmq.broker.trace.TestTraces;
import io.fjordmq.broker.trace.TraceLogs;
import io.fjordmq.broker.trace.TraceSettings;
import io.fjordmq.broker.trace.Traces;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading traces over the API. */
class TraceResourceTest {
  private static final NodeId SELF = new NodeId("n0");

  private static long memory(TraceResource resource, String id, Map<String, List<Object>> query) {
    Operation operation =
        resource.operations().stream()
            .filter(known -> known.id().equals(id))
            .findFirst()
            .orElseThrow();
    return operation.memory(
        new Request(
            operation,
            Optional.of(TestTraces.ANN),
            Map.of("name", "x"),
            query,
            null,
            "127.0.0.1",
            bytes -> true,
            System.nanoTime()));
  }

  @Test
  void shouldAccountForTheMemoryOfDownloads(@TempDir Path folder) throws InterruptedException {
    try (TestTraces cluster = new TestTraces(folder, TraceSettings.DEFAULTS)) {
      Traces traces = cluster.open("n0");
      LoopbackPeers peers = LoopbackPeers.immediate();
      TestMembership membership = new TestMembership(SELF);
      TraceLogs logs = TraceLogs.start(traces, membership, peers.start(SELF));
      NodeLookup nodes = new NodeLookup(new NodeNames(membership, key -> null));
      TraceResource resource = new TraceResource(traces, logs, nodes);
      assertThat(memory(resource, "downloadTrace", Map.of()))
          .isGreaterThanOrEqualTo(2L * TraceResource.MAX_DOWNLOAD_BYTES);
      assertThat(memory(resource, "readTraceLog", Map.of("bytes", List.of(100_000))))
          .isGreaterThan(200_000);
    }
  }
}
