package io.fjordmq.range.load;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitStrategy;
import io.fjordmq.testing.RecordBuilder;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;

/**
 * Simulated ranges on one node that leads them all; a range is only an interval and a meter. Each
 * second the ranges get requests for units (such as inboxes) numbered from 0, then the planner
 * decides. A split takes no time, and a request costs the same however many ranges there are.
 */
final class SyntheticRanges {
  static final int UNITS = 4096;
  static final String STORE = "inbox";
  private static final int ROWS_PER_UNIT = 16;

  /** Seconds over which results are averaged. */
  private static final int AVERAGED_SECONDS = 30;

  private static final Duration IDLE = Duration.ofSeconds(60);

  static final SplitMergeSettings SETTINGS =
      RecordBuilder.from(SplitMergeSettings.DEFAULTS)
          .with(SplitMergeSettings::maxRanges, 64)
          .with(SplitMergeSettings::cooldown, Duration.ofSeconds(10))
          .with(SplitMergeSettings::strategyTimeout, Duration.ofSeconds(1))
          .with(SplitMergeSettings::maxBusyPercent, 50)
          .with(SplitMergeSettings::cpuLimitPercent, 90)
          .with(SplitMergeSettings::minAge, Duration.ofSeconds(20))
          .with(SplitMergeSettings::mergeAfter, IDLE)
          .with(SplitMergeSettings::maxRangeBytes, 0)
          .build();

  int splits;
  int merges;
  double cpu;
  long nanosPerRequest = 5_000;
  int maxRanges = 64;

  private final SplitPlanner planner;
  private final SplittableRandom random = new SplittableRandom(7);
  private final TreeMap<Integer, RangeMeter> ranges = new TreeMap<>();
  private final List<Second> history = new ArrayList<>();
  private final Map<Integer, Integer> requestsByUnit = new HashMap<>();

  /**
   * The requests of one second: all of them, those of the busiest range, and the number of ranges.
   */
  private record Second(int requests, int busiestRequests, int ranges) {}

  SyntheticRanges(SplitStrategy strategy) {
    this.planner = new SplitPlanner(strategy, Set.of(STORE), SETTINGS);
    ranges.put(0, meter());
  }

  private RangeMeter meter() {
    return new RangeMeter(IDLE, random.nextLong());
  }

  /**
   * Simulates some seconds.
   *
   * @param unit maps a random number of 30 bits to the unit of a request
   */
  void run(int seconds, int requestsPerSecond, IntUnaryOperator unit) {
    for (int i = 0; i < seconds; i++) {
      simulateSecond(
          requestsPerSecond,
          nanosPerRequest,
          nanosPerRequest,
          () -> unit.applyAsInt(random.nextInt(1 << 30)));
    }
  }

  /** Replays a recording; the units of each second are drawn from its sample. */
  void replay(RecordedLoad load) {
    for (RecordedLoad.Second one : load.seconds()) {
      List<Integer> units = one.units();
      simulateSecond(
          one.requests(),
          one.busyMicros() * 1_000 / Math.max(1, one.requests()),
          one.ioNanos(),
          () -> units.isEmpty() ? 0 : units.get(random.nextInt(units.size())));
    }
  }

  private void simulateSecond(int requests, long nanos, long ioNanos, IntSupplier unit) {
    Map<Integer, Integer> byRange = new HashMap<>();
    for (int request = 0; request < requests; request++) {
      byRange.merge(sendRequest(unit.getAsInt(), nanos, ioNanos), 1, Integer::sum);
    }
    ranges.values().forEach(meter -> meter.tick(1_000_000_000L));
    int busiest = byRange.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    history.add(new Second(requests, busiest, ranges.size()));
    planner
        .next(candidates(), new NodeLoad(cpu, ranges.size(), maxRanges), history.size() * 1_000L)
        .ifPresent(this::apply);
  }

  /** Sends a request and returns the start of the range that served it. */
  private int sendRequest(int unit, long nanos, long ioNanos) {
    int start = ranges.floorKey(unit);
    RangeMeter meter = Objects.requireNonNull(ranges.get(start));
    meter.recordApplied(1, nanos, ioNanos);
    meter.recordAccess(
        ByteBuffer.allocate(5).putInt(unit).put((byte) random.nextInt(ROWS_PER_UNIT)).array());
    requestsByUnit.merge(unit, 1, Integer::sum);
    return start;
  }

  private List<SplitPlanner.Candidate> candidates() {
    List<SplitPlanner.Candidate> led = new ArrayList<>();
    UnaryOperator<byte[]> unitOf = key -> ByteBuffer.allocate(4).putInt(unit(key)).array();
    ranges.forEach(
        (start, meter) -> {
          Integer end = ranges.higherKey(start);
          led.add(
              new SplitPlanner.Candidate(
                  meter.load(STORE, name(start), unitOf),
                  key(start),
                  end == null ? null : key(end),
                  true,
                  RangeSize.UNKNOWN));
        });
    return led;
  }

  private void apply(SplitPlanner.Step step) {
    if (step instanceof SplitPlanner.Step.Split split) {
      int left = Integer.parseInt(split.range());
      ranges.put(left, meter());
      ranges.put(unit(split.key()), meter());
      splits++;
    } else if (step instanceof SplitPlanner.Step.Merge merge) {
      ranges.remove(Integer.parseInt(merge.right()));
      ranges.put(Integer.parseInt(merge.left()), meter());
      merges++;
    }
  }

  int ranges() {
    return ranges.size();
  }

  /** Returns the highest number of ranges so far. */
  int peakRanges() {
    return Math.max(ranges(), history.stream().mapToInt(Second::ranges).max().orElse(1));
  }

  int seconds() {
    return history.size();
  }

  /**
   * Returns the share of all requests that the busiest range served in the latest seconds under
   * load.
   */
  double busiestRangeShare() {
    return mean(second -> (double) second.busiestRequests() / second.requests());
  }

  /** Returns the requests per second of the busiest range in the latest seconds under load. */
  double busiestRangeRate() {
    return mean(Second::busiestRequests);
  }

  /** Seconds under load have at least half of the highest request rate so far. */
  private double mean(ToDoubleFunction<Second> figure) {
    int max = history.stream().mapToInt(Second::requests).max().orElse(0);
    List<Second> loaded =
        history.stream()
            .filter(second -> second.requests() > 0 && second.requests() * 2 >= max)
            .toList();
    return loaded.subList(Math.max(0, loaded.size() - AVERAGED_SECONDS), loaded.size()).stream()
        .mapToDouble(figure)
        .average()
        .orElse(0);
  }

  /**
   * Returns the share of all requests so far that were for the busiest unit, which cannot be split.
   */
  double busiestUnitShare() {
    int total = history.stream().mapToInt(Second::requests).sum();
    int max = requestsByUnit.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    return total == 0 ? 0 : (double) max / total;
  }

  /** Returns the latest advice about the range that holds a unit. */
  Optional<SplitAdvice> adviceAbout(int unit) {
    return Optional.ofNullable(planner.latestAdvice().get(name(ranges.floorKey(unit))));
  }

  private static String name(int start) {
    return Integer.toString(start);
  }

  private static byte[] key(int unit) {
    return unit == 0 ? new byte[0] : ByteBuffer.allocate(4).putInt(unit).array();
  }

  private static int unit(byte[] key) {
    return ByteBuffer.wrap(key).getInt();
  }
}
