package io.fjordmq.range.load;

import static io.fjordmq.range.load.MadeUpRanges.UNITS;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;

/**
 * The loads by which the default strategy is judged: made-up ones, and recordings of real nodes.
 */
enum KnownLoad {
  UNIFORM("uniform, 700/s", 100, ranges -> ranges.run(900, 700, Units.EVEN)),
  ZIPF("Zipf, exponent 1, 600/s", 100, ranges -> ranges.run(900, 600, Units.ZIPF)),
  ONE_HOT_KEY("one key with 90 % of 500/s", 100, ranges -> ranges.run(600, 500, Units.ONE_HOT)),
  MOVING_SPOT("a spot that moves on eight times, 400/s", 100, KnownLoad::movingSpot),
  GOES("uniform, 700/s, then 2/s", 100, KnownLoad::goes),
  COMES_AND_GOES("40 s of 700/s and 40 s of 10/s, ten times", 100, KnownLoad::comesAndGoes),
  SHORT_BURSTS("8 s of 500/s and 5 s of 1/s, twenty times", 100, KnownLoad::shortBursts),
  COLD_PAIRS("recorded: a cold cluster, 600 pairs", 150, ranges -> twice(ranges, "cold-pairs")),
  FEW_INBOXES("recorded: few inboxes get most", 20, ranges -> twice(ranges, "few-inboxes")),
  ONE_INBOX("recorded: one inbox gets most", 100, ranges -> twice(ranges, "one-inbox")),
  NEW_SESSIONS("recorded: 5,000 sessions come, then nothing", 10, KnownLoad::newSessions);

  /** Of these units a request is for one; from a random number of 30 bits. */
  static final class Units {
    static final IntUnaryOperator EVEN = random -> random % UNITS;

    /** The heaviest first: half of the load on the first 60. */
    static final IntUnaryOperator ZIPF =
        random -> (int) Math.min(UNITS - 1, Math.pow(UNITS + 1.0, random / (double) (1 << 30)) - 1);

    static final int HOT = 1234;
    static final IntUnaryOperator ONE_HOT = random -> random % 10 < 9 ? HOT : random % UNITS;

    private Units() {}
  }

  /** As people read it. */
  final String title;

  /** What a range may carry, in requests per second. */
  final int density;

  private final Consumer<MadeUpRanges> course;

  KnownLoad(String title, int density, Consumer<MadeUpRanges> course) {
    this.title = title;
    this.density = density;
    this.course = course;
  }

  /** What the default strategy makes of one range, which gets this load. */
  MadeUpRanges play() {
    MadeUpRanges ranges = new MadeUpRanges(strategy(density, 30_000));
    course.accept(ranges);
    return ranges;
  }

  static LoadSplitStrategy strategy(int density, double ioNanosLimit) {
    return new LoadSplitStrategy(
        Map.of(
            MadeUpRanges.STORE,
            new SplitLimits(
                density, 0.5, ioNanosLimit, 0.9, Duration.ofSeconds(20), Duration.ofSeconds(60))));
  }

  /** The second time shows what stays: the recordings are not much longer than the splits take. */
  private static void twice(MadeUpRanges ranges, String name) {
    RecordedLoad load = RecordedLoad.kept(name);
    ranges.replay(load);
    ranges.replay(load);
  }

  private static void newSessions(MadeUpRanges ranges) {
    twice(ranges, "new-sessions");
    ranges.run(600, 1, Units.EVEN);
  }

  private static void movingSpot(MadeUpRanges ranges) {
    for (int spot = 0; spot < 8; spot++) {
      int first = spot * 512;
      ranges.run(120, 400, random -> first + random % 64);
    }
  }

  private static void goes(MadeUpRanges ranges) {
    ranges.run(600, 700, Units.EVEN);
    ranges.run(2_000, 2, Units.EVEN);
  }

  private static void comesAndGoes(MadeUpRanges ranges) {
    for (int wave = 0; wave < 10; wave++) {
      ranges.run(40, 700, Units.EVEN);
      ranges.run(40, 10, Units.EVEN);
    }
  }

  private static void shortBursts(MadeUpRanges ranges) {
    for (int burst = 0; burst < 20; burst++) {
      ranges.run(RangeMeter.WINDOW_SECONDS - 2, 500, Units.EVEN);
      ranges.run(5, 1, Units.EVEN);
    }
  }
}
