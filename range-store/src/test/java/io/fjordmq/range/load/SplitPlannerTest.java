package io.fjordmq.range.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.RangeLoad.Spread;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import io.fjordmq.api.plugin.SplitStrategy;
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The rules that the planner enforces for every strategy. */
final class SplitPlannerTest {
  private static final NodeLoad SPARE_CAPACITY = new NodeLoad(0.1, 2, 10);
  private static final byte[] MIDDLE = {5};
  private static final long MAX_BYTES = 1_000;
  private static final RangeSize SMALL = RangeSize.of(10);
  private static final SplitAdvice COLD = new SplitAdvice.Keep(Reason.COLD);

  private Function<String, SplitAdvice> advice = range -> COLD;
  private boolean merging;
  private final SplitPlanner planner =
      new SplitPlanner(
          new SplitStrategy() {
            @Override
            public SplitAdvice advise(RangeLoad load, NodeLoad node) {
              return advice.apply(load.range());
            }

            @Override
            public boolean shouldMerge(RangeLoad left, RangeLoad right) {
              return merging;
            }
          },
          Set.of("inbox"),
          RecordBuilder.from(SplitMergeSettings.DEFAULTS)
              .with(SplitMergeSettings::maxRanges, 64)
              .with(SplitMergeSettings::cooldown, Duration.ofSeconds(10))
              .with(SplitMergeSettings::strategyTimeout, Duration.ofSeconds(1))
              .with(SplitMergeSettings::maxBusyPercent, 50)
              .with(SplitMergeSettings::cpuLimitPercent, 90)
              .with(SplitMergeSettings::minAge, Duration.ZERO)
              .with(SplitMergeSettings::mergeAfter, Duration.ofMinutes(1))
              .with(SplitMergeSettings::maxRangeBytes, MAX_BYTES)
              .build());

  private static SplitPlanner.Candidate candidate(String name, byte[] start, byte[] end) {
    Spread none = new Spread(0, 0, 0);
    return new SplitPlanner.Candidate(
        new RangeLoad("inbox", name, Duration.ZERO, none, 0, Duration.ZERO, none, 0, List::of),
        start,
        end,
        true,
        SMALL);
  }

  private static SplitPlanner.Candidate withSize(
      SplitPlanner.Candidate range, long bytes, byte @Nullable [] halvingKey) {
    return new SplitPlanner.Candidate(
        range.load(),
        range.start(),
        range.end(),
        range.logTruncated(),
        new RangeSize(bytes, halvingKey, false));
  }

  private static final List<SplitPlanner.Candidate> NEIGHBORS =
      List.of(
          candidate("a", new byte[0], new byte[] {9}),
          candidate("b", new byte[] {9}, new byte[] {20}));

  @Test
  void shouldMakeOneChangeAndPauseBeforeTheNext() {
    advice = range -> new SplitAdvice.Split(range.equals("a") ? MIDDLE : new byte[] {12});
    assertThat(planner.next(NEIGHBORS, SPARE_CAPACITY, 0))
        .contains(new SplitPlanner.Step.Split("a", MIDDLE));
    assertThat(planner.next(NEIGHBORS, SPARE_CAPACITY, 9_999)).isEmpty();
    assertThat(planner.next(NEIGHBORS, SPARE_CAPACITY, 10_000)).isPresent();
  }

  @Test
  void shouldRejectASplitKeyOutsideTheRange() {
    for (byte[] key : List.of(new byte[0], new byte[] {9}, new byte[] {11})) {
      advice = range -> range.equals("a") ? new SplitAdvice.Split(key) : COLD;
      assertThat(planner.next(NEIGHBORS, SPARE_CAPACITY, 0)).isEmpty();
      assertThat(planner.latestAdvice()).containsEntry("a", new SplitAdvice.Keep(Reason.FAILED));
    }
  }

  @Test
  void shouldNotChangeARangeWhenTheStrategyThrows() {
    advice =
        range -> {
          throw new IllegalStateException("planted failure");
        };
    assertThat(planner.next(NEIGHBORS, SPARE_CAPACITY, 0)).isEmpty();
    assertThat(planner.latestAdvice())
        .isEqualTo(
            Map.of(
                "a",
                new SplitAdvice.Keep(Reason.FAILED),
                "b",
                new SplitAdvice.Keep(Reason.FAILED)));
  }

  @Test
  void shouldNotExceedTheMaximumNumberOfRanges() {
    advice = range -> new SplitAdvice.Split(range.equals("a") ? MIDDLE : new byte[] {12});
    assertThat(planner.next(NEIGHBORS, new NodeLoad(0.1, 10, 10), 0)).isEmpty();
    assertThat(planner.latestAdvice())
        .containsEntry("a", new SplitAdvice.Keep(Reason.TOO_MANY_RANGES));
  }

  @Test
  void shouldMergeOnlyNeighborsAndOnlyIfThereIsNoSplit() {
    merging = true;
    assertThat(planner.next(NEIGHBORS, SPARE_CAPACITY, 0))
        .contains(new SplitPlanner.Step.Merge("a", "b"));
    assertThat(planner.idle()).containsExactlyInAnyOrder("a", "b");
    List<SplitPlanner.Candidate> apart =
        List.of(
            candidate("a", new byte[0], new byte[] {8}),
            candidate("b", new byte[] {9}, new byte[] {20}));
    assertThat(planner.next(apart, SPARE_CAPACITY, 20_000)).isEmpty();
    advice = range -> range.equals("b") ? new SplitAdvice.Split(new byte[] {12}) : COLD;
    assertThat(planner.next(NEIGHBORS, SPARE_CAPACITY, 30_000))
        .containsInstanceOf(SplitPlanner.Step.Split.class);
  }

  @Test
  void shouldNotSplitARangeWhoseLogIsNotTruncated() {
    SplitPlanner.Candidate truncated = NEIGHBORS.get(0);
    SplitPlanner.Candidate untruncated =
        new SplitPlanner.Candidate(
            truncated.load(), truncated.start(), truncated.end(), false, SMALL);
    advice = range -> new SplitAdvice.Split(MIDDLE);
    assertThat(planner.next(List.of(untruncated), SPARE_CAPACITY, 0)).isEmpty();
    assertThat(planner.latestAdvice())
        .containsEntry("a", new SplitAdvice.Keep(Reason.LOG_NOT_TRUNCATED));
    assertThat(planner.next(List.of(truncated), SPARE_CAPACITY, 1))
        .as("no pause without a change")
        .isPresent();
  }

  @Test
  void shouldForgetTheAdviceForARangeThatItNoLongerLeads() {
    planner.next(NEIGHBORS, SPARE_CAPACITY, 0);
    planner.next(NEIGHBORS.subList(0, 1), SPARE_CAPACITY, 1);
    assertThat(planner.latestAdvice()).containsOnlyKeys("a");
  }

  @Test
  void shouldSplitARangeThatIsTooLargeRegardlessOfItsLoad() {
    List<SplitPlanner.Candidate> one =
        List.of(withSize(NEIGHBORS.get(0), MAX_BYTES, MIDDLE), NEIGHBORS.get(1));
    assertThat(planner.next(one, SPARE_CAPACITY, 0)).as("not above the limit").isEmpty();
    List<SplitPlanner.Candidate> large =
        List.of(withSize(NEIGHBORS.get(0), MAX_BYTES + 1, MIDDLE), NEIGHBORS.get(1));
    assertThat(planner.next(large, SPARE_CAPACITY, 1))
        .contains(new SplitPlanner.Step.Split("a", MIDDLE));
    assertThat(planner.tooLarge()).containsExactly("a");
    assertThat(planner.next(large, SPARE_CAPACITY, 2))
        .as("the pause applies to all splits")
        .isEmpty();
  }

  @Test
  void shouldSplitByLoadARangeThatIsHotAndTooLarge() {
    byte[] byLoad = {7};
    advice = range -> range.equals("a") ? new SplitAdvice.Split(byLoad) : COLD;
    List<SplitPlanner.Candidate> large =
        List.of(withSize(NEIGHBORS.get(0), MAX_BYTES + 1, MIDDLE), NEIGHBORS.get(1));
    assertThat(planner.next(large, SPARE_CAPACITY, 0))
        .contains(new SplitPlanner.Step.Split("a", byLoad));
    assertThat(planner.tooLarge()).isEmpty();
  }

  @Test
  void shouldReportWhyARangeThatIsTooLargeIsNotSplit() {
    SplitPlanner.Candidate large = withSize(NEIGHBORS.get(0), MAX_BYTES + 1, MIDDLE);
    assertThat(planner.next(List.of(large), new NodeLoad(0.1, 10, 10), 0)).isEmpty();
    assertThat(planner.latestAdvice())
        .containsEntry("a", new SplitAdvice.Keep(Reason.TOO_MANY_RANGES));
    planner.next(List.of(withSize(large, MAX_BYTES + 1, null)), SPARE_CAPACITY, 1);
    assertThat(planner.latestAdvice())
        .containsEntry("a", new SplitAdvice.Keep(Reason.NO_SPLIT_KEY));
    planner.next(List.of(withSize(large, MAX_BYTES + 1, new byte[] {9})), SPARE_CAPACITY, 2);
    assertThat(planner.latestAdvice())
        .as("the range ends there")
        .containsEntry("a", new SplitAdvice.Keep(Reason.NO_SPLIT_KEY));
    SplitPlanner.Candidate drained =
        new SplitPlanner.Candidate(
            large.load(),
            large.start(),
            large.end(),
            true,
            new RangeSize(MAX_BYTES + 1, null, true));
    planner.next(List.of(drained), SPARE_CAPACITY, 3);
    assertThat(planner.latestAdvice())
        .containsEntry("a", new SplitAdvice.Keep(Reason.TOO_MANY_TOMBSTONES));
  }

  @Test
  void shouldNotMergeAboveHalfTheSizeLimit() {
    merging = true;
    assertThat(planner.next(neighborsOfSize(250, 251), SPARE_CAPACITY, 0)).isEmpty();
    assertThat(planner.idle()).as("can be merged with an idle neighbor").containsExactly("a");
    assertThat(planner.next(neighborsOfSize(250, -1), SPARE_CAPACITY, 1))
        .as("of unknown size")
        .isEmpty();
    assertThat(planner.next(neighborsOfSize(250, 250), SPARE_CAPACITY, 2))
        .contains(new SplitPlanner.Step.Merge("a", "b"));
    assertThat(planner.idle()).containsExactlyInAnyOrder("a", "b");
  }

  private static List<SplitPlanner.Candidate> neighborsOfSize(long left, long right) {
    return List.of(withSize(NEIGHBORS.get(0), left, null), withSize(NEIGHBORS.get(1), right, null));
  }
}
