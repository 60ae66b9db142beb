package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** Phases next to each other are compared, because the speed of the host changes. */
class AlternatingPhasesTest {
  private static List<RunResult> results(double... p99) {
    return DoubleStream.of(p99)
        .mapToObj(value -> new Measurement().put(ResultMetric.P99_MS, value).result("phase"))
        .toList();
  }

  @Test
  void shouldReturnTheMedianOfTheRatiosOfPairs() {
    AlternatingPhases phases = new AlternatingPhases(results(2, 22, 6), results(1, 20, 5));
    assertThat(phases.medianRatio(ResultMetric.P99_MS)).isEqualTo(1.2);
    assertThat(phases.ratios(ResultMetric.P99_MS)).containsExactly(1.1, 1.2, 2.0);
  }

  @Test
  void shouldReturnTheLowerOfTwoMiddleRatios() {
    AlternatingPhases phases = new AlternatingPhases(results(2, 4), results(1, 1));
    assertThat(phases.medianRatio(ResultMetric.P99_MS)).isEqualTo(2);
  }
}
