package io.fjordmq.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MeasuresTest {
  private static Measures run(double cost, double latency, long missing) {
    return new Measures()
        .compared("us CPU/msg", cost)
        .shown("ms", latency)
        .counted("missing", missing);
  }

  @Test
  void shouldTakeTheMedianOfFiguresAndTheSumOfMistakes() {
    Measures median = Measures.median(List.of(run(9, 1, 0), run(2, 7, 1), run(3, 5, 2)));

    assertThat(median).hasToString("us CPU/msg 3.00; ms 5.00; missing 3");
  }

  @Test
  void shouldCompareRunWithRun() {
    List<Measures> ours = List.of(run(2, 1, 0), run(30, 1, 0), run(6, 1, 0));
    List<Measures> theirs = List.of(run(1, 1, 0), run(10, 1, 0), run(6, 1, 0));

    assertThat(Measures.medianRatios(ours, theirs)).hasToString("us CPU/msg 2.00");
  }
}
