package io.fjordmq.range.placement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import io.fjordmq.api.plugin.SplitStrategy;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.load.SplitMergeSettings;
import io.fjordmq.range.sim.AppendingCoprocessor;
import io.fjordmq.range.sim.LocalRanges;
import io.fjordmq.range.store.RangeSizes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a node says of ranges that it leads, on the real range engine in virtual time. */
class SplitMonitorTest {
  private static final RangeId RANGE = new RangeId("words", 1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static final StoreSpec WORDS =
      new StoreSpec("words", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {});

  private LocalRanges ranges = LocalRanges.of(WORDS);
  private final List<Runnable> judgements = new ArrayList<>();
  private final List<String> judged = new ArrayList<>();
  private boolean waits;
  private long maxRangeBytes;
  private SplitAdvice advice = new SplitAdvice.Keep(Reason.COLD);
  private @Nullable RangeLoad asked;
  private Runnable whileMeasuring = () -> {};
  private Runnable whileAsking = () -> {};

  private SplitMonitor watch = watch(Set.of("words"));

  private SplitMonitor watch(Set<String> stores) {
    SplitStrategy strategy =
        new SplitStrategy() {
          @Override
          public SplitAdvice advise(RangeLoad load, NodeLoad node) {
            asked = load;
            whileAsking.run();
            return advice;
          }
        };
    RangeSizes storage = ranges.store().sizes();
    return new SplitMonitor(
        ranges.store(),
        strategy,
        new SplitMergeSettings(
            stores, 10, Duration.ofSeconds(5), SECOND, Duration.ZERO, maxRangeBytes),
        () -> 0,
        ranges.timers(),
        task -> {
          judgements.add(task);
          if (!waits) {
            judgements.remove(0).run();
          }
        },
        new RangeObserver() {
          @Override
          public void splitDecided(RangeId range, String decision) {
            assertThat(SplitMonitor.DECISIONS).contains(decision);
            judged.add(decision);
          }
        },
        new RangeSizeCache(
            range -> {
              whileMeasuring.run();
              return storage.bytes(range);
            },
            storage::withHalvingKey,
            maxRangeBytes));
  }

  @AfterEach
  void close() {
    watch.close();
    ranges.close();
  }

  private void append(String... keys) {
    for (String key : keys) {
      assertThat(ranges.client("words").mutate(bytes(key), bytes(key + ":w"))).isCompleted();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private ShapeReport report() {
    return Objects.requireNonNull(watch.reports().get(RANGE));
  }

  private String splitAt() {
    KeyInterval part = Objects.requireNonNull(report().splitOff());
    return new String(part.start(), UTF_8);
  }

  private SplitMonitor.SplitPoint halving() {
    return watch.splitPoint(RANGE).join().orElseThrow();
  }

  private void measureSomething() {
    watch.start();
    ranges.advance(SECOND); // from now on it is measured
    append("b");
    append("f");
    append("f");
    ranges.advance(SECOND);
  }

  @Test
  void shouldMeasureWhatARangeHasToDoAndSayWhatTheStrategyMakesOfIt() {
    measureSomething();
    RangeLoad load = Objects.requireNonNull(asked);
    assertThat(load.requests().most()).isEqualTo(3);
    assertThat(load.keys()).contains("b".getBytes(UTF_8), "f".getBytes(UTF_8));
    assertThat(report().decision()).isEqualTo("cold");
    assertThat(report().splitOff()).isNull();
    assertThat(judged).containsExactly("cold");
  }

  @Test
  void shouldSayHowManyOfTheRequestsAreWrites() {
    measureSomething();
    for (int i = 0; i < 20; i++) {
      append("b");
      ranges.client("words").query("b".getBytes(UTF_8), "b".getBytes(UTF_8)).join();
    }
    ranges.advance(SECOND);
    assertThat(report().requests()).as("43 in the window of 10 s").isEqualTo(4);
    assertThat(report().writes()).as("23 of them").isEqualTo(2);
  }

  @Test
  void shouldSayAWishUntilItIsDone() {
    advice = new SplitAdvice.Split("f".getBytes(UTF_8));
    measureSomething();
    assertThat(splitAt()).isEqualTo("f");
    advice = new SplitAdvice.Split("g".getBytes(UTF_8));
    ranges.advance(SECOND);
    assertThat(splitAt()).as("the same wish").isEqualTo("f");
    assertThat(ranges.store().split(RANGE, 1, "f".getBytes(UTF_8), 2)).isCompleted();
    advice = new SplitAdvice.Split("c".getBytes(UTF_8));
    ranges.advance(Duration.ofSeconds(2));
    assertThat(report().decision()).as("its turn comes after the pause").isEqualTo("split");
    assertThat(report().splitOff()).isNull();
  }

  @Test
  void shouldTakeAWishBackWhenItIsNotWantedAnyMore() {
    advice = new SplitAdvice.Split("f".getBytes(UTF_8));
    measureSomething();
    advice = new SplitAdvice.Keep(Reason.TOO_SHORT);
    ranges.advance(SECOND);
    assertThat(report().splitOff()).isNull();
    assertThat(report().decision()).isEqualTo("too_short");
  }

  @Test
  void shouldNotWishForWhatWouldBeRefusedBecauseOfTheFirstEntryOfTheLog() {
    close();
    ranges = LocalRanges.ofEarlierVersion(WORDS);
    watch = watch(Set.of("words"));
    advice = new SplitAdvice.Split("f".getBytes(UTF_8));
    measureSomething();
    assertThat(ranges.store().split(RANGE, 1, "f".getBytes(UTF_8), 2)).isCompletedExceptionally();
    assertThat(report().splitOff()).isNull();
    assertThat(report().decision()).isEqualTo("log_not_cut");
    assertThat(halving().key()).isNull();
    assertThat(halving().whyNot()).contains("first entry");
  }

  /** The next judgement has begun, but its thread has not got to it. */
  private void holdJudgement() {
    watch.start();
    ranges.advance(SECOND);
    append("b");
    append("f");
    waits = true;
    ranges.advance(Duration.ofSeconds(30)); // sizes are due
    assertThat(judgements).as("one judgement at a time").hasSize(1);
  }

  @Test
  void shouldLeaveRangesAsTheyAreWhileTheStrategyDoesNotAnswer() {
    advice = new SplitAdvice.Split("f".getBytes(UTF_8));
    holdJudgement();
    whileAsking =
        () -> {
          ranges.advance(Duration.ofSeconds(3));
          assertThat(judgements).as("it is not asked again before it has answered").isEmpty();
          assertThat(report().decision()).isEqualTo("too_slow");
          assertThat(report().splitOff()).isNull();
        };
    judgements.remove(0).run();
    assertThat(report().decision()).as("too late").isEqualTo("too_slow");
    assertThat(report().splitOff()).isNull();
    whileAsking = () -> {};
    waits = false;
    ranges.advance(Duration.ofSeconds(6));
    assertThat(report().splitOff()).as("in time again").isNotNull();
  }

  @Test
  void shouldNotBlameTheStrategyForSlowStorage() {
    advice = new SplitAdvice.Split("f".getBytes(UTF_8));
    holdJudgement();
    whileMeasuring =
        () -> {
          ranges.advance(Duration.ofSeconds(3));
          assertThat(judgements).as("one judgement at a time").isEmpty();
          assertThat(report().decision()).isEqualTo("storage_too_slow");
          assertThat(report().splitOff()).isNull();
        };
    judgements.remove(0).run();
    assertThat(judged).contains("storage_too_slow").doesNotContain("too_slow");
    assertThat(report().decision()).as("the strategy answered at once").isEqualTo("split");
    assertThat(splitAt()).isEqualTo("f");
  }

  @Test
  void shouldNotAskAboutStoresThatAreNotSplitByLoad() {
    watch.close();
    try (SplitMonitor off = watch(Set.of())) {
      off.start();
      ranges.advance(Duration.ofSeconds(2));
      assertThat(off.reports().values()).extracting(ShapeReport::decision).containsExactly("off");
      assertThat(asked).isNull();
    }
  }

  @Test
  void shouldHalveTheLoadOfARangeByHandIfEnoughIsKnownOfIt() {
    assertThat(watch.splitPoint(RANGE).join()).as("nothing is measured yet").isEmpty();
    watch.start();
    ranges.advance(SECOND);
    append("a", "b");
    for (int i = 0; i < 40; i++) {
      append("y", "z");
    }
    ranges.advance(SECOND);
    assertThat(halving().key()).as("half of the load").isEqualTo("z".getBytes(UTF_8));
    assertThat(watch.splitPoint(new RangeId("words", 7)).join()).isEmpty();
  }

  @Test
  void shouldHalveWhatARangeHoldsByHandIfItIsIdle() {
    append("a", "a", "a", "a", "a", "b", "c");
    watch.start();
    ranges.advance(Duration.ofSeconds(30));
    assertThat(halving().key()).as("one long row, then two short ones").isEqualTo(bytes("b"));
    append("c");
    ranges.advance(SECOND);
    assertThat(halving().key()).as("one request says nothing of the load").isEqualTo(bytes("b"));
  }

  @Test
  void shouldSayThatARangeHoldsTooFewKeysToBeSplit() {
    watch.start();
    ranges.advance(Duration.ofSeconds(2));
    assertThat(halving().key()).isNull();
    assertThat(halving().whyNot()).contains("range words-1 holds too few keys to be split");
    append("f");
    ranges.advance(Duration.ofSeconds(30));
    assertThat(halving().whyNot()).contains("holds too few keys");
  }

  @Test
  void shouldNotGoByAFewRequestsWhereRowsCannotBeDivided() {
    append("f");
    watch.start();
    ranges.advance(SECOND);
    for (String key : List.of("b", "g", "x")) {
      ranges.client("words").query(bytes(key), bytes(key)).join();
    }
    ranges.advance(SECOND);
    assertThat(Objects.requireNonNull(asked).keys()).contains(bytes("b"), bytes("g"), bytes("x"));
    assertThat(halving().key()).isNull();
    assertThat(halving().whyNot()).contains("holds too few keys");
  }

  @Test
  void shouldGoBySizeIfAllOfTheLoadIsThatOfOneKey() {
    append("a", "b", "c");
    watch.start();
    ranges.advance(SECOND);
    for (int i = 0; i < 40; i++) {
      ranges.client("words").query(bytes("a"), bytes("a")).join();
    }
    ranges.advance(SECOND);
    assertThat(halving().key()).isEqualTo(bytes("b"));
  }

  @Test
  void shouldSayAWishForARangeThatIsTooLargeAndHowLargeItIs() {
    maxRangeBytes = 50;
    watch.close();
    watch = watch(Set.of());
    append("a", "b", "c", "d");
    watch.start();
    ranges.advance(Duration.ofSeconds(3));
    assertThat(report().decision()).isEqualTo("off");
    assertThat(report().bytes()).isBetween(8L, 50L);
    append("e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r");
    ranges.advance(Duration.ofSeconds(31));
    assertThat(report().decision()).isEqualTo("split_by_size");
    assertThat(report().bytes()).isGreaterThan(50);
    assertThat(splitAt()).isBetween("h", "k");
    assertThat(ranges.store().split(RANGE, 1, bytes(splitAt()), 2)).isCompleted();
    ranges.advance(Duration.ofSeconds(2));
    assertThat(report().decision()).as("measured at once in its new shape").isEqualTo("off");
  }
}
