package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.MoodyBroker;
import io.fjordmq.perf.MoodyBroker.Mood;
import io.fjordmq.perf.load.ResultMetric;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReconnectBenchmarkTest {
  @Test
  void shouldTellRefusalsFromSilence() throws Exception {
    Map<String, AtomicInteger> times = new ConcurrentHashMap<>();
    try (MoodyBroker broker =
            new MoodyBroker(
                client -> {
                  int time =
                      times.computeIfAbsent(client, none -> new AtomicInteger()).getAndAdd(1);
                  return client.equals("25") && (time == 1 || time == 2) ? Mood.REFUSE : Mood.SERVE;
                });
        ClientLoops loops = new ClientLoops(broker.address(), 2)) {
      Map<ResultMetric, Double> figures =
          new ReconnectBenchmark(loops, 40).measure().result("moody").figures();
      assertThat(figures)
          .containsEntry(ResultMetric.REFUSED, 2.0)
          .containsEntry(ResultMetric.DISCONNECTED, 0.0)
          .containsEntry(ResultMetric.LOST, 0.0);
    }
  }
}
