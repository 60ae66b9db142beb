package io.fjordmq.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Runs next to each other are compared, because the speed of the host changes. */
class RunStatisticsTest {
  private static Stream<RunResult> results(String broker, double... p99) {
    return DoubleStream.of(p99)
        .mapToObj(
            value ->
                new RunResult(
                    broker,
                    Map.of(ResultMetric.P99_MS, value),
                    List.of(),
                    new TreeMap<>(),
                    List.of(),
                    List.of()));
  }

  private static double[] ratios(Stream<RunResult> ours, Stream<RunResult> theirs) {
    List<RunResult> all = Stream.concat(ours, theirs).toList();
    return RunStatistics.ratios(
        RunStatistics.values(all, "ours", ResultMetric.P99_MS),
        RunStatistics.values(all, "theirs", ResultMetric.P99_MS));
  }

  @Test
  void shouldReturnTheMedianOfTheRatiosOfPairs() {
    double[] ratios = ratios(results("ours", 2, 22, 6), results("theirs", 1, 20, 5));
    assertThat(RunStatistics.median(ratios)).isEqualTo(1.2);
    assertThat(ratios).containsExactly(2.0, 1.1, 1.2);
  }

  @Test
  void shouldReturnTheLowerOfTwoMiddleRatios() {
    double[] ratios = ratios(results("ours", 2, 4), results("theirs", 1, 1));
    assertThat(RunStatistics.median(ratios)).isEqualTo(2);
  }
}
