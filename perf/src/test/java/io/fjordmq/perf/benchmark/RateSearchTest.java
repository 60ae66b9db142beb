package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The highest rate that is held is found in a few tries. */
class RateSearchTest {
  private static List<Integer> tries(RateSearch search, int capacity) {
    List<Integer> tries = new ArrayList<>();
    while (search.hasNext()) {
      tries.add(search.next());
      search.tried(search.next() <= capacity);
    }
    return tries;
  }

  @Test
  void shouldGoUpUntilARateIsNotHeldAndThenBetween() {
    RateSearch search = new RateSearch(80, 1_000);
    assertThat(tries(search, 200)).containsExactly(80, 120, 180, 270, 225, 202);
    assertThat(search.sustainedRate()).isEqualTo(180);
  }

  @Test
  void shouldLookBelowTheFirstRateIfThatIsTooHigh() {
    RateSearch search = new RateSearch(80, 1_000);
    assertThat(tries(search, 50)).containsExactly(80, 40, 60);
    assertThat(search.sustainedRate()).isEqualTo(40);
  }

  @Test
  void shouldStopAtTheHighestRateThereIs() {
    RateSearch search = new RateSearch(80, 100);
    assertThat(tries(search, 500)).containsExactly(80, 100);
    assertThat(search.sustainedRate()).isEqualTo(100);
  }

  @Test
  void shouldEndIfNothingIsHeld() {
    RateSearch search = new RateSearch(4, 100);
    assertThat(tries(search, 0)).containsExactly(4, 2, 1);
    assertThat(search.sustainedRate()).isZero();
  }
}
