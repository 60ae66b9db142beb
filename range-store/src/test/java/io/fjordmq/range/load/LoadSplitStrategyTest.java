package io.fjordmq.range.load;

import static io.fjordmq.range.load.MadeUpRanges.UNITS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** What the default strategy makes of loads of all kinds; a range may carry 100 a second. */
final class LoadSplitStrategyTest {
  private static final int DENSITY = 100;
  private static final IntUnaryOperator UNIFORM = random -> random % UNITS;

  private final MadeUpRanges ranges = new MadeUpRanges(strategy(30_000));

  private static LoadSplitStrategy strategy(double ioNanosLimit) {
    return new LoadSplitStrategy(
        Map.of(
            "inbox",
            new SplitLimits(
                DENSITY, 0.5, ioNanosLimit, 0.9, Duration.ofSeconds(20), Duration.ofSeconds(60))));
  }

  @Test
  void shouldHalveUntilNoRangeHasTooMuchWhenLoadIsUniform() {
    ranges.run(900, 700, UNIFORM);
    assertThat(ranges.ranges()).isBetween(8, 16);
    assertThat(ranges.busiestShare() * 700).isLessThan(DENSITY * 1.3);
    assertThat(ranges.merges).isZero();
    int settled = ranges.splits;
    ranges.run(300, 700, UNIFORM);
    assertThat(ranges.splits - settled).as("splits of what is well spread").isLessThanOrEqualTo(1);
  }

  @Test
  void shouldLeaveARangeAloneWhenItCarriesWhatItMay() {
    ranges.run(300, DENSITY - 20, UNIFORM);
    assertThat(ranges.splits).isZero();
    assertThat(ranges.adviceAbout(0)).contains(stay(Reason.COLD));
  }

  @Test
  void shouldCutWhereTheLoadIsWhenItIsSkewed() {
    // Zipf with exponent 1 over all units, the heaviest first: half of the load on the first 60.
    ranges.run(900, 600, random -> zipf(random / (double) (1 << 30)));
    assertThat(ranges.ranges()).isBetween(6, 20);
    assertThat(ranges.busiestShare()).isLessThan(0.25);
  }

  private static int zipf(double uniform) {
    return (int) Math.min(UNITS - 1, Math.pow(UNITS + 1.0, uniform) - 1);
  }

  @Test
  void shouldNotSplitInVainWhenOneKeyHasTheLoad() {
    ranges.run(600, 500, random -> random % 10 < 9 ? 1234 : random % UNITS);
    assertThat(ranges.splits).isZero();
    assertThat(ranges.adviceAbout(1234)).contains(stay(Reason.ONE_HOT_KEY));
  }

  @Test
  void shouldFollowAHotSpotWithoutEndlessRangesWhenItMoves() {
    for (int spot = 0; spot < 8; spot++) {
      int first = spot * 512;
      ranges.run(120, 400, random -> first + random % 64);
    }
    assertThat(ranges.ranges()).as("ranges left behind are folded back").isLessThan(16);
    assertThat(ranges.merges).isPositive();
    assertThat(ranges.busiestShare()).isLessThan(0.7);
  }

  @Test
  void shouldFoldBackOnceWhenTheLoadHasGone() {
    ranges.run(600, 700, UNIFORM);
    int most = ranges.ranges();
    ranges.run(2_000, 2, UNIFORM);
    assertThat(ranges.ranges()).isEqualTo(1);
    assertThat(ranges.merges).isEqualTo(most - 1);
  }

  @Test
  void shouldNotFlapWhenLoadComesAndGoes() {
    for (int wave = 0; wave < 10; wave++) {
      ranges.run(40, 700, UNIFORM);
      ranges.run(40, 10, UNIFORM);
    }
    assertThat(ranges.merges).as("merges in pauses shorter than the idle window").isZero();
    assertThat(ranges.splits).isLessThan(20);
  }

  @Test
  void shouldNotSplitWhenTheBurstIsShorterThanTheWindow() {
    for (int burst = 0; burst < 20; burst++) {
      ranges.run(RangeMeter.WINDOW_SECONDS - 2, 500, UNIFORM);
      ranges.run(5, 1, UNIFORM);
    }
    assertThat(ranges.splits).isZero();
    assertThat(ranges.adviceAbout(0)).contains(stay(Reason.TOO_SHORT));
  }

  @Test
  void shouldPauseAndSayWhyWhenSomethingElseIsTheLimit() {
    ranges.nanosPerRequest = 40_000;
    ranges.run(60, 200, UNIFORM);
    assertThat(ranges.adviceAbout(0)).contains(stay(Reason.STORAGE_IS_THE_LIMIT));
    ranges.nanosPerRequest = 5_000;
    ranges.cpu = 0.95;
    ranges.run(60, 200, UNIFORM);
    assertThat(ranges.adviceAbout(0)).contains(stay(Reason.CPU_IS_THE_LIMIT));
    ranges.cpu = 0.5;
    ranges.maxRanges = 1;
    ranges.run(60, 200, UNIFORM);
    assertThat(ranges.adviceAbout(0)).contains(stay(Reason.TOO_MANY_RANGES));
    assertThat(ranges.splits).isZero();
    ranges.maxRanges = 2;
    ranges.run(60, 200, UNIFORM);
    assertThat(ranges.splits).isEqualTo(1);
  }

  @Test
  void shouldSplitForTheApplyThreadWhenItHasNoTimeLeft() {
    MadeUpRanges slow = new MadeUpRanges(strategy(0));
    slow.nanosPerRequest = 8_000_000;
    slow.run(60, 80, UNIFORM);
    assertThat(slow.splits).isPositive();
  }

  private static SplitAdvice stay(Reason reason) {
    return new SplitAdvice.Stay(reason);
  }
}
