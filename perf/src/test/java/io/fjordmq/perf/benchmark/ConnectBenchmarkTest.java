package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.FaultyBroker;
import io.fjordmq.perf.FaultyBroker.ClientHandling;
import io.fjordmq.perf.load.ResultMetric;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConnectBenchmarkTest {
  @Test
  void shouldMeasureWavesOfClients() throws Exception {
    try (FaultyBroker broker = new FaultyBroker(client -> ClientHandling.SERVE);
        ClientLoops loops = new ClientLoops(broker.address(), 1)) {
      long self = ProcessHandle.current().pid();
      Map<ResultMetric, Double> figures =
          new ConnectBenchmark(loops, 10).measure(self, 1).figures();
      assertThat(figures.get(ResultMetric.CONNECT_MEAN_MS)).isPositive();
      assertThat(figures).containsKey(ResultMetric.CONNECT_CPU_MICROS);
    }
  }
}
