package io.fjordmq.perf.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Recovers the values of single seconds from sliding means. */
class WindowSecondsTest {
  private static final int WINDOW = 10;

  private final SplittableRandom random = new SplittableRandom(5);
  private final double[] actual = new double[500];
  private final WindowSeconds seconds = new WindowSeconds(WINDOW);

  WindowSecondsTest() {
    for (int i = 0; i < actual.length; i++) {
      actual[i] = random.nextInt(10) == 0 ? 0 : random.nextInt(2_000);
    }
  }

  /** Seconds before the first one count as 0. */
  private double mean(int last) {
    return Arrays.stream(actual, Math.max(0, last - WINDOW + 1), last + 1).sum() / WINDOW;
  }

  @Test
  void shouldRecoverEverySecondIfNoneIsSkipped() {
    for (int i = 0; i < actual.length; i++) {
      double[] values = seconds.next(1, mean(i));
      assertThat(values).hasSize(1);
      assertThat(values[0]).isCloseTo(actual[i], within(1e-6));
    }
  }

  @Test
  void shouldSpreadTheSumOverSkippedSeconds() {
    WindowSeconds shortWindow = new WindowSeconds(4);
    assertThat(shortWindow.next(1, 100 / 4.0)).containsExactly(100);
    assertThat(shortWindow.next(0, 100 / 4.0)).isEmpty();
    assertThat(shortWindow.next(3, (100 + 10 + 20 + 60) / 4.0)).containsExactly(30, 30, 30);
    assertThat(shortWindow.next(1, (10 + 20 + 60 + 40) / 4.0)).containsExactly(40);
    // The estimate 30 leaves the window, the actual value was 10: the next one absorbs this.
    assertThat(shortWindow.next(1, (20 + 60 + 40 + 50) / 4.0)).containsExactly(70);
  }

  @Test
  void shouldReturnZeroIfAnEstimateWasTooHigh() {
    WindowSeconds shortWindow = new WindowSeconds(2);
    assertThat(shortWindow.next(2, (100 + 0) / 2.0)).containsExactly(50, 50);
    assertThat(shortWindow.next(1, 0)).containsExactly(0);
    assertThat(shortWindow.next(1, 8 / 2.0)).containsExactly(8);
  }
}
