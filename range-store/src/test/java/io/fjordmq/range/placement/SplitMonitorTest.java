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
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The reports of a node about the ranges that it leads, on the real range engine in virtual time.
 */
class SplitMonitorTest {
  private static final RangeId RANGE = new RangeId("words", 1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static final StoreSpec WORDS =
      new StoreSpec("words", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {});

  private LocalRanges ranges = LocalRanges.of(WORDS);
  private final List<Runnable> evaluations = new ArrayList<>();
  private final List<String> decisions = new ArrayList<>();
  private boolean defersEvaluations;
  private long maxRangeBytes;
  private SplitAdvice advice = new SplitAdvice.Keep(Reason.COLD);
  private @Nullable RangeLoad evaluated;
  private Runnable whileMeasuring = () -> {};
  private Runnable whileDeciding = () -> {};

  private SplitMonitor monitor = createMonitor(Set.of("words"));

  private SplitMonitor createMonitor(Set<String> stores) {
    SplitStrategy strategy =
        new SplitStrategy() {
          @Override
          public SplitAdvice advise(RangeLoad load, NodeLoad node) {
            evaluated = load;
            whileDeciding.run();
            return advice;
          }
        };
    RangeSizes storage = ranges.store().sizes();
    return new SplitMonitor(
        ranges.store(),
        strategy,
        stores,
        RecordBuilder.from(SplitMergeSettings.DEFAULTS)
            .with(SplitMergeSettings::maxRanges, 10)
            .with(SplitMergeSettings::cooldown, Duration.ofSeconds(5))
            .with(SplitMergeSettings::strategyTimeout, SECOND)
            .with(SplitMergeSettings::maxBusyPercent, 50)
            .with(SplitMergeSettings::cpuLimitPercent, 90)
            .with(SplitMergeSettings::minAge, Duration.ZERO)
            .with(SplitMergeSettings::mergeAfter, Duration.ZERO)
            .with(SplitMergeSettings::maxRangeBytes, maxRangeBytes)
            .build(),
        () -> 0,
        ranges.timers(),
        task -> {
          evaluations.add(task);
          if (!defersEvaluations) {
            evaluations.remove(0).run();
          }
        },
        new RangeObserver() {
          @Override
          public void onSplitDecision(RangeId range, String decision) {
            assertThat(SplitMonitor.DECISIONS).contains(decision);
            decisions.add(decision);
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
    monitor.close();
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

  private RangeLoadReport report() {
    return Objects.requireNonNull(monitor.reports().get(RANGE));
  }

  private String requestedSplitKey() {
    KeyInterval part = Objects.requireNonNull(report().splitOff());
    return new String(part.start(), UTF_8);
  }

  private SplitPointSearch.SplitPoint splitPoint() {
    return monitor.splitPoint(RANGE).join().orElseThrow();
  }

  private void measureLoad() {
    monitor.start();
    ranges.advance(SECOND); // measured from here on
    append("b");
    append("f");
    append("f");
    ranges.advance(SECOND);
  }

  @Test
  void shouldReportTheLoadOfARangeAndTheDecisionOfTheStrategy() {
    measureLoad();
    RangeLoad load = Objects.requireNonNull(evaluated);
    assertThat(load.requests().most()).isEqualTo(3);
    assertThat(load.keys()).contains("b".getBytes(UTF_8), "f".getBytes(UTF_8));
    assertThat(report().decision()).isEqualTo("cold");
    assertThat(report().splitOff()).isNull();
    assertThat(decisions).containsExactly("cold");
  }

  @Test
  void shouldReportTheWritesAmongTheRequests() {
    measureLoad();
    for (int i = 0; i < 20; i++) {
      append("b");
      ranges.client("words").query("b".getBytes(UTF_8), "b".getBytes(UTF_8)).join();
    }
    ranges.advance(SECOND);
    assertThat(report().requests()).as("43 in the window of 10 s").isEqualTo(4);
    assertThat(report().writes()).as("23 of them").isEqualTo(2);
  }

  @Test
  void shouldRepeatARequestUntilItIsCarriedOut() {
    advice = new SplitAdvice.Split("f".getBytes(UTF_8));
    measureLoad();
    assertThat(requestedSplitKey()).isEqualTo("f");
    advice = new SplitAdvice.Split("g".getBytes(UTF_8));
    ranges.advance(SECOND);
    assertThat(requestedSplitKey()).as("the same request").isEqualTo("f");
    assertThat(ranges.store().leaderOperations().split(RANGE, 1, "f".getBytes(UTF_8), 2))
        .isCompleted();
    advice = new SplitAdvice.Split("c".getBytes(UTF_8));
    ranges.advance(Duration.ofSeconds(2));
    assertThat(report().decision()).as("requested after the pause").isEqualTo("split");
    assertThat(report().splitOff()).isNull();
  }

  @Test
  void shouldWithdrawARequestThatIsNoLongerNeeded() {
    advice = new SplitAdvice.Split("f".getBytes(UTF_8));
    measureLoad();
    advice = new SplitAdvice.Keep(Reason.TOO_SHORT);
    ranges.advance(SECOND);
    assertThat(report().splitOff()).isNull();
    assertThat(report().decision()).isEqualTo("too_short");
  }

  @Test
  void shouldNotRequestASplitBeforeTheLogIsTruncated() {
    close();
    ranges = LocalRanges.ofEarlierVersion(WORDS);
    monitor = createMonitor(Set.of("words"));
    advice = new SplitAdvice.Split("f".getBytes(UTF_8));
    measureLoad();
    assertThat(ranges.store().leaderOperations().split(RANGE, 1, "f".getBytes(UTF_8), 2))
        .isCompletedExceptionally();
    assertThat(report().splitOff()).isNull();
    assertThat(report().decision()).isEqualTo("log_not_truncated");
    assertThat(splitPoint().key()).isNull();
    assertThat(splitPoint().noSplitReason()).contains("not been truncated yet");
  }

  /** The next evaluation has begun, but its thread is blocked. */
  private void blockEvaluation() {
    monitor.start();
    ranges.advance(SECOND);
    append("b");
    append("f");
    defersEvaluations = true;
    ranges.advance(Duration.ofSeconds(30)); // sizes are due
    assertThat(evaluations).as("one evaluation at a time").hasSize(1);
  }

  @Test
  void shouldNotChangeRangesWhileTheStrategyDoesNotReturn() {
    advice = new SplitAdvice.Split("f".getBytes(UTF_8));
    blockEvaluation();
    whileDeciding =
        () -> {
          ranges.advance(Duration.ofSeconds(3));
          assertThat(evaluations).as("not called again before it has returned").isEmpty();
          assertThat(report().decision()).isEqualTo("too_slow");
          assertThat(report().splitOff()).isNull();
        };
    evaluations.remove(0).run();
    assertThat(report().decision()).as("too late").isEqualTo("too_slow");
    assertThat(report().splitOff()).isNull();
    whileDeciding = () -> {};
    defersEvaluations = false;
    ranges.advance(Duration.ofSeconds(6));
    assertThat(report().splitOff()).as("in time again").isNotNull();
  }

  @Test
  void shouldNotBlameTheStrategyForSlowStorage() {
    advice = new SplitAdvice.Split("f".getBytes(UTF_8));
    blockEvaluation();
    whileMeasuring =
        () -> {
          ranges.advance(Duration.ofSeconds(3));
          assertThat(evaluations).as("one evaluation at a time").isEmpty();
          assertThat(report().decision()).isEqualTo("storage_too_slow");
          assertThat(report().splitOff()).isNull();
        };
    evaluations.remove(0).run();
    assertThat(decisions).contains("storage_too_slow").doesNotContain("too_slow");
    assertThat(report().decision()).as("the strategy returned in time").isEqualTo("split");
    assertThat(requestedSplitKey()).isEqualTo("f");
  }

  @Test
  void shouldNotCallTheStrategyForStoresThatAreNotSplitByLoad() {
    monitor.close();
    try (SplitMonitor off = createMonitor(Set.of())) {
      off.start();
      ranges.advance(Duration.ofSeconds(2));
      assertThat(off.reports().values())
          .extracting(RangeLoadReport::decision)
          .containsExactly("off");
      assertThat(evaluated).isNull();
    }
  }

  @Test
  void shouldHalveTheLoadOnRequestIfEnoughKeysWereSampled() {
    assertThat(monitor.splitPoint(RANGE).join()).as("nothing is measured yet").isEmpty();
    monitor.start();
    ranges.advance(SECOND);
    append("a", "b");
    for (int i = 0; i < 40; i++) {
      append("y", "z");
    }
    ranges.advance(SECOND);
    assertThat(splitPoint().key()).as("half of the load").isEqualTo("z".getBytes(UTF_8));
    assertThat(monitor.splitPoint(new RangeId("words", 7)).join()).isEmpty();
  }

  @Test
  void shouldHalveTheSizeOfAnIdleRangeOnRequest() {
    append("a", "a", "a", "a", "a", "b", "c");
    monitor.start();
    ranges.advance(Duration.ofSeconds(30));
    assertThat(splitPoint().key()).as("one long row, then two short ones").isEqualTo(bytes("b"));
    append("c");
    ranges.advance(SECOND);
    assertThat(splitPoint().key()).as("one request is not a measurement").isEqualTo(bytes("b"));
  }

  @Test
  void shouldReportThatARangeHoldsTooFewKeysToBeSplit() {
    monitor.start();
    ranges.advance(Duration.ofSeconds(2));
    assertThat(splitPoint().key()).isNull();
    assertThat(splitPoint().noSplitReason()).contains("range words-1 cannot be split");
    append("f");
    ranges.advance(Duration.ofSeconds(30));
    assertThat(splitPoint().noSplitReason()).contains("cannot be split: all of its keys");
  }

  @Test
  void shouldNotSplitByAFewRequestsIfRowsCannotBeDivided() {
    append("f");
    monitor.start();
    ranges.advance(SECOND);
    for (String key : List.of("b", "g", "x")) {
      ranges.client("words").query(bytes(key), bytes(key)).join();
    }
    ranges.advance(SECOND);
    assertThat(Objects.requireNonNull(evaluated).keys())
        .contains(bytes("b"), bytes("g"), bytes("x"));
    assertThat(splitPoint().key()).isNull();
    assertThat(splitPoint().noSplitReason()).contains("cannot be split: all of its keys");
  }

  @Test
  void shouldSplitBySizeIfAllLoadIsOnOneKey() {
    append("a", "b", "c");
    monitor.start();
    ranges.advance(SECOND);
    for (int i = 0; i < 40; i++) {
      ranges.client("words").query(bytes("a"), bytes("a")).join();
    }
    ranges.advance(SECOND);
    assertThat(splitPoint().key()).isEqualTo(bytes("b"));
  }

  @Test
  void shouldRequestASplitOfARangeThatIsTooLargeAndReportItsSize() {
    maxRangeBytes = 50;
    monitor.close();
    monitor = createMonitor(Set.of());
    append("a", "b", "c", "d");
    monitor.start();
    ranges.advance(Duration.ofSeconds(3));
    assertThat(report().decision()).isEqualTo("off");
    assertThat(report().bytes()).isBetween(8L, 50L);
    append("e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r");
    ranges.advance(Duration.ofSeconds(31));
    assertThat(report().decision()).isEqualTo("split_by_size");
    assertThat(report().bytes()).isGreaterThan(50);
    assertThat(requestedSplitKey()).isBetween("h", "k");
    assertThat(ranges.store().leaderOperations().split(RANGE, 1, bytes(requestedSplitKey()), 2))
        .isCompleted();
    ranges.advance(Duration.ofSeconds(2));
    assertThat(report().decision()).as("measured immediately with its new epoch").isEqualTo("off");
  }
}
