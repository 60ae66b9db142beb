package io.fjordmq.range.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import io.fjordmq.range.load.KnownLoad.Units;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * How the default strategy handles loads of all kinds; the limit of a range is 100 requests a
 * second.
 */
final class LoadSplitStrategyTest {
  private static final int DENSITY = 100;

  private final SyntheticRanges ranges = new SyntheticRanges(KnownLoad.strategy(DENSITY, 30_000));

  @Test
  void shouldSplitAUniformLoadUntilNoRangeIsOverloaded() {
    SyntheticRanges even = KnownLoad.UNIFORM.simulate();
    assertThat(even.ranges()).isBetween(8, 16);
    assertThat(even.busiestRangeRate()).isLessThan(DENSITY * 1.3);
    assertThat(even.merges).isZero();
    int settled = even.splits;
    even.run(300, 700, Units.EVEN);
    assertThat(even.splits - settled).as("splits of an evenly spread load").isLessThanOrEqualTo(1);
  }

  @Test
  void shouldNotSplitARangeAtItsLimit() {
    ranges.run(300, DENSITY - 20, Units.EVEN);
    assertThat(ranges.splits).isZero();
    assertThat(ranges.adviceAbout(0)).contains(keep(Reason.COLD));
  }

  @Test
  void shouldSplitASkewedLoad() {
    SyntheticRanges skewed = KnownLoad.ZIPF.simulate();
    assertThat(skewed.ranges()).isBetween(6, 20);
    assertThat(skewed.busiestRangeShare()).isLessThan(0.25);
  }

  @Test
  void shouldNotSplitALoadOnOneKey() {
    SyntheticRanges hot = KnownLoad.ONE_HOT_KEY.simulate();
    assertThat(hot.splits).isZero();
    assertThat(hot.adviceAbout(Units.HOT)).contains(keep(Reason.ONE_HOT_KEY));
  }

  @Test
  void shouldFollowAMovingHotSpotWithoutCreatingEverMoreRanges() {
    SyntheticRanges moving = KnownLoad.MOVING_HOT_SPOT.simulate();
    assertThat(moving.ranges()).as("the remaining ranges are merged again").isLessThan(16);
    assertThat(moving.merges).isPositive();
    assertThat(moving.busiestRangeShare()).isLessThan(0.7);
  }

  @Test
  void shouldMergeEachRangeOnceWhenTheLoadEnds() {
    SyntheticRanges gone = KnownLoad.ENDING.simulate();
    assertThat(gone.ranges()).isEqualTo(1);
    assertThat(gone.merges).isEqualTo(gone.peakRanges() - 1).isEqualTo(gone.splits);
  }

  @Test
  void shouldNotFlapWhenTheLoadAlternates() {
    SyntheticRanges waves = KnownLoad.ALTERNATING.simulate();
    assertThat(waves.merges).as("merges in pauses shorter than the idle window").isZero();
    assertThat(waves.splits).isLessThan(20);
  }

  @Test
  void shouldNotSplitForABurstShorterThanTheWindow() {
    SyntheticRanges bursts = KnownLoad.SHORT_BURSTS.simulate();
    assertThat(bursts.splits).isZero();
    assertThat(bursts.adviceAbout(0)).contains(keep(Reason.TOO_SHORT));
  }

  @Test
  void shouldNotSplitIfSomethingElseIsTheBottleneck() {
    ranges.nanosPerRequest = 40_000;
    ranges.run(60, 200, Units.EVEN);
    assertThat(ranges.adviceAbout(0)).contains(keep(Reason.STORAGE_IS_THE_LIMIT));
    ranges.nanosPerRequest = 5_000;
    ranges.cpu = 0.95;
    ranges.run(60, 200, Units.EVEN);
    assertThat(ranges.adviceAbout(0)).contains(keep(Reason.CPU_IS_THE_LIMIT));
    ranges.cpu = 0.5;
    ranges.maxRanges = 1;
    ranges.run(60, 200, Units.EVEN);
    assertThat(ranges.adviceAbout(0)).contains(keep(Reason.TOO_MANY_RANGES));
    assertThat(ranges.splits).isZero();
    ranges.maxRanges = 2;
    ranges.run(60, 200, Units.EVEN);
    assertThat(ranges.splits).isEqualTo(1);
  }

  @Test
  void shouldSplitWhenTheApplyThreadIsSaturated() {
    SyntheticRanges slow = new SyntheticRanges(KnownLoad.strategy(DENSITY, Long.MAX_VALUE));
    slow.nanosPerRequest = 8_000_000;
    slow.run(60, 80, Units.EVEN);
    assertThat(slow.splits).isPositive();
  }

  @Test
  void shouldSpreadARecordedLoadOfPairsAndThenStop() {
    SyntheticRanges once =
        new SyntheticRanges(KnownLoad.strategy(KnownLoad.COLD_PAIRS.density, 30_000));
    once.replay(RecordedLoad.fromResource("cold-pairs"));
    SyntheticRanges twice = KnownLoad.COLD_PAIRS.simulate();
    assertThat(twice.ranges()).isBetween(5, 9);
    assertThat(twice.busiestRangeRate()).isLessThan(KnownLoad.COLD_PAIRS.density * 1.3);
    assertThat(twice.busiestRangeShare()).isLessThan(0.3);
    assertThat(twice.splits - once.splits).as("splits of an evenly spread load").isBetween(0, 2);
    assertThat(twice.merges).as("merges in the pause between, shorter than the window").isZero();
  }

  @Test
  void shouldSpreadARecordedLoadOnAFewInboxes() {
    SyntheticRanges few = KnownLoad.FEW_INBOXES.simulate();
    assertThat(few.ranges()).isBetween(6, 12);
    assertThat(few.busiestRangeShare())
        .as("the busiest inbox has " + few.busiestUnitShare())
        .isLessThan(2 * few.busiestUnitShare());
    assertThat(few.merges).isZero();
  }

  @Test
  void shouldNotSplitARecordedLoadOnOneInbox() {
    SyntheticRanges one = KnownLoad.ONE_INBOX.simulate();
    assertThat(one.busiestUnitShare()).isGreaterThan(0.6);
    assertThat(one.splits).isZero();
    assertThat(one.adviceAbout(0)).contains(keep(Reason.ONE_HOT_KEY));
  }

  @Test
  void shouldMergeRangesAfterARecordedLoadReplayedTwice() {
    SyntheticRanges sessions = KnownLoad.NEW_SESSIONS.simulate();
    assertThat(sessions.peakRanges()).isBetween(5, 10);
    assertThat(sessions.busiestRangeShare()).isLessThan(0.3);
    assertThat(sessions.ranges()).isEqualTo(1);
    assertThat(sessions.splits).as("none is split twice").isEqualTo(sessions.peakRanges() - 1);
  }

  @Test
  void shouldNotSplitARecordedLoadOnSlowStorage() {
    RecordedLoad load = RecordedLoad.fromResource("few-inboxes");
    List<RecordedLoad.Second> slow =
        load.seconds().stream().takeWhile(second -> second.ioNanos() > 30_000).toList();
    assertThat(slow).hasSizeGreaterThan(RangeMeter.WINDOW_SECONDS);
    SyntheticRanges waiting = new SyntheticRanges(KnownLoad.strategy(20, 30_000));
    waiting.replay(new RecordedLoad(load.store(), slow));
    assertThat(waiting.splits).isZero();
    assertThat(waiting.adviceAbout(0)).contains(keep(Reason.STORAGE_IS_THE_LIMIT));
  }

  private static SplitAdvice keep(Reason reason) {
    return new SplitAdvice.Keep(reason);
  }
}
