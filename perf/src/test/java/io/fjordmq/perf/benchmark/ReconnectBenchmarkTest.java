package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.FaultyBroker;
import io.fjordmq.perf.FaultyBroker.ClientHandling;
import io.fjordmq.perf.load.ResultMetric;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReconnectBenchmarkTest {
  @Test
  void shouldNotCountRefusalsAsDisconnects() throws Exception {
    Map<String, AtomicInteger> connectCounts = new ConcurrentHashMap<>();
    try (FaultyBroker broker =
            new FaultyBroker(
                client -> {
                  int earlierConnects =
                      connectCounts
                          .computeIfAbsent(client, none -> new AtomicInteger())
                          .getAndAdd(1);
                  return client.equals("25") && (earlierConnects == 1 || earlierConnects == 2)
                      ? ClientHandling.REFUSE
                      : ClientHandling.SERVE;
                });
        ClientLoops loops = new ClientLoops(broker.address(), 2)) {
      ReconnectBenchmark benchmark = new ReconnectBenchmark(loops, 40, user -> null);
      benchmark.connect();
      Map<ResultMetric, Double> figures = benchmark.reconnect().result("faulty").figures();
      assertThat(figures)
          .containsEntry(ResultMetric.REFUSED, 2.0)
          .containsEntry(ResultMetric.DISCONNECTED, 0.0)
          .containsEntry(ResultMetric.LOST, 0.0);
    }
  }
}
