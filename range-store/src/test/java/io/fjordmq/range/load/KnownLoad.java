package io.fjordmq.range.load;

import static io.fjordmq.range.load.SyntheticRanges.UNITS;

import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;

/**
 * The loads on which the default strategy is evaluated: synthetic ones and recordings of real
 * nodes.
 */
enum KnownLoad {
  UNIFORM("uniform, 700/s", 100, ranges -> ranges.run(900, 700, Units.EVEN)),
  ZIPF("Zipf, exponent 1, 600/s", 100, ranges -> ranges.run(900, 600, Units.ZIPF)),
  ONE_HOT_KEY("one key with 90 % of 500/s", 100, ranges -> ranges.run(600, 500, Units.ONE_HOT)),
  MOVING_HOT_SPOT("hot spot that moves eight times, 400/s", 100, KnownLoad::runMovingHotSpot),
  ENDING("uniform, 700/s, then 2/s", 100, KnownLoad::runEndingLoad),
  ALTERNATING("40 s of 700/s and 40 s of 10/s, ten times", 100, KnownLoad::runAlternatingLoad),
  SHORT_BURSTS("8 s of 500/s and 5 s of 1/s, twenty times", 100, KnownLoad::runShortBursts),
  COLD_PAIRS(
      "recorded: a cold cluster, 600 pairs", 150, ranges -> replayTwice(ranges, "cold-pairs")),
  FEW_INBOXES(
      "recorded: most load on a few inboxes", 20, ranges -> replayTwice(ranges, "few-inboxes")),
  ONE_INBOX("recorded: most load on one inbox", 100, ranges -> replayTwice(ranges, "one-inbox")),
  NEW_SESSIONS("recorded: 5,000 new sessions, then idle", 10, KnownLoad::runNewSessions);

  /** Maps a random number of 30 bits to the unit that a request accesses. */
  static final class Units {
    static final IntUnaryOperator EVEN = random -> random % UNITS;

    /** The most frequent unit first: the first 60 units get half of the load. */
    static final IntUnaryOperator ZIPF =
        random -> (int) Math.min(UNITS - 1, Math.pow(UNITS + 1.0, random / (double) (1 << 30)) - 1);

    static final int HOT = 1234;
    static final IntUnaryOperator ONE_HOT = random -> random % 10 < 9 ? HOT : random % UNITS;

    private Units() {}
  }

  /** The name in the printed table. */
  final String title;

  /** Load limit of a range, in requests per second. */
  final int density;

  private final Consumer<SyntheticRanges> scenario;

  KnownLoad(String title, int density, Consumer<SyntheticRanges> scenario) {
    this.title = title;
    this.density = density;
    this.scenario = scenario;
  }

  /** Runs the default strategy on one range with this load. */
  SyntheticRanges simulate() {
    SyntheticRanges ranges = new SyntheticRanges(strategy(density, 30_000));
    scenario.accept(ranges);
    return ranges;
  }

  static LoadSplitStrategy strategy(int density, long ioNanosLimit) {
    return new LoadSplitStrategy(
        SyntheticRanges.SETTINGS,
        Map.of(SyntheticRanges.STORE, new SplitLimits(ioNanosLimit, density)));
  }

  /**
   * Replays the recording twice, as it is not much longer than the splits take; the second pass
   * shows the steady state.
   */
  private static void replayTwice(SyntheticRanges ranges, String name) {
    RecordedLoad load = RecordedLoad.fromResource(name);
    ranges.replay(load);
    ranges.replay(load);
  }

  private static void runNewSessions(SyntheticRanges ranges) {
    replayTwice(ranges, "new-sessions");
    ranges.run(600, 1, Units.EVEN);
  }

  private static void runMovingHotSpot(SyntheticRanges ranges) {
    for (int spot = 0; spot < 8; spot++) {
      int first = spot * 512;
      ranges.run(120, 400, random -> first + random % 64);
    }
  }

  private static void runEndingLoad(SyntheticRanges ranges) {
    ranges.run(600, 700, Units.EVEN);
    ranges.run(2_000, 2, Units.EVEN);
  }

  private static void runAlternatingLoad(SyntheticRanges ranges) {
    for (int wave = 0; wave < 10; wave++) {
      ranges.run(40, 700, Units.EVEN);
      ranges.run(40, 10, Units.EVEN);
    }
  }

  private static void runShortBursts(SyntheticRanges ranges) {
    for (int burst = 0; burst < 20; burst++) {
      ranges.run(RangeMeter.WINDOW_SECONDS - 2, 500, Units.EVEN);
      ranges.run(5, 1, Units.EVEN);
    }
  }
}
