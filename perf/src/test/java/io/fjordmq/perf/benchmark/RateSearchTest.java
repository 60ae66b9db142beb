package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The search finds the highest sustained rate in a few attempts. */
class RateSearchTest {
  private static List<Integer> attempts(RateSearch search, int capacity) {
    List<Integer> attempts = new ArrayList<>();
    while (search.hasNext()) {
      attempts.add(search.next());
      search.recordAttempt(search.next() <= capacity);
    }
    return attempts;
  }

  @Test
  void shouldIncreaseUntilARateFailsAndThenBisect() {
    RateSearch search = new RateSearch(80, 1_000);
    assertThat(attempts(search, 200)).containsExactly(80, 120, 180, 270, 225, 202);
    assertThat(search.sustainedRate()).isEqualTo(180);
  }

  @Test
  void shouldDecreaseIfTheFirstRateIsTooHigh() {
    RateSearch search = new RateSearch(80, 1_000);
    assertThat(attempts(search, 50)).containsExactly(80, 40, 60);
    assertThat(search.sustainedRate()).isEqualTo(40);
  }

  @Test
  void shouldStopAtTheMaximumRate() {
    RateSearch search = new RateSearch(80, 100);
    assertThat(attempts(search, 500)).containsExactly(80, 100);
    assertThat(search.sustainedRate()).isEqualTo(100);
  }

  @Test
  void shouldStopIfNoRateIsSustained() {
    RateSearch search = new RateSearch(4, 100);
    assertThat(attempts(search, 0)).containsExactly(4, 2, 1);
    assertThat(search.sustainedRate()).isZero();
  }
}
