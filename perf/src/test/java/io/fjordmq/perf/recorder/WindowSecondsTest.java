package io.fjordmq.perf.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Single seconds come out of sliding means as they went in. */
class WindowSecondsTest {
  private static final int WINDOW = 10;

  private final SplittableRandom random = new SplittableRandom(5);
  private final double[] real = new double[500];
  private final WindowSeconds seconds = new WindowSeconds(WINDOW);

  WindowSecondsTest() {
    for (int i = 0; i < real.length; i++) {
      real[i] = random.nextInt(10) == 0 ? 0 : random.nextInt(2_000);
    }
  }

  /** Those before the first count as nothing. */
  private double mean(int last) {
    return Arrays.stream(real, Math.max(0, last - WINDOW + 1), last + 1).sum() / WINDOW;
  }

  @Test
  void shouldTellEverySecondWhenNoneIsLeftOut() {
    for (int i = 0; i < real.length; i++) {
      double[] told = seconds.next(1, mean(i));
      assertThat(told).hasSize(1);
      assertThat(told[0]).isCloseTo(real[i], within(1e-6));
    }
  }

  @Test
  void shouldTellTheirSumWhenSomeAreLeftOut() {
    WindowSeconds some = new WindowSeconds(4);
    assertThat(some.next(1, 100 / 4.0)).containsExactly(100);
    assertThat(some.next(0, 100 / 4.0)).isEmpty();
    assertThat(some.next(3, (100 + 10 + 20 + 60) / 4.0)).containsExactly(30, 30, 30);
    assertThat(some.next(1, (10 + 20 + 60 + 40) / 4.0)).containsExactly(40);
    // The guess 30 leaves the window where it was 10: the next one takes the difference.
    assertThat(some.next(1, (20 + 60 + 40 + 50) / 4.0)).containsExactly(70);
  }

  @Test
  void shouldTellNothingBelowZeroWhenAGuessWasTooHigh() {
    WindowSeconds some = new WindowSeconds(2);
    assertThat(some.next(2, (100 + 0) / 2.0)).containsExactly(50, 50);
    assertThat(some.next(1, 0)).containsExactly(0);
    assertThat(some.next(1, 8 / 2.0)).containsExactly(8);
  }
}
