package io.fjordmq.range.load;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitStrategy;
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
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;

/**
 * Ranges that are only borders and meters, on one node that leads them all. Each second they get
 * requests for units (inboxes, say) numbered from 0, and the plan is asked; a split takes no time.
 */
final class MadeUpRanges {
  static final int UNITS = 4096;
  private static final int ROWS_PER_UNIT = 16;
  private static final Duration IDLE = Duration.ofSeconds(60);

  int splits;
  int merges;
  double cpu;
  long nanosPerRequest = 5_000;
  int maxRanges = 64;

  private final ShapePlan plan;
  private final SplittableRandom random = new SplittableRandom(7);
  private final TreeMap<Integer, RangeMeter> ranges = new TreeMap<>();
  private final Map<Integer, Integer> lastSecond = new HashMap<>();
  private long second;

  MadeUpRanges(SplitStrategy strategy) {
    this.plan =
        new ShapePlan(
            strategy,
            new ShapeSettings(
                Set.of("inbox"), 64, Duration.ofSeconds(10), Duration.ofSeconds(1), IDLE));
    ranges.put(0, meter());
  }

  private RangeMeter meter() {
    return new RangeMeter(IDLE, random.nextLong());
  }

  /**
   * Lets seconds pass.
   *
   * @param unit of a request, from a random number of 30 bits
   */
  void run(int seconds, int requestsPerSecond, IntUnaryOperator unit) {
    for (int i = 0; i < seconds; i++) {
      lastSecond.clear();
      for (int request = 0; request < requestsPerSecond; request++) {
        request(unit.applyAsInt(random.nextInt(1 << 30)));
      }
      ranges.values().forEach(meter -> meter.tick(1_000_000_000L));
      second++;
      plan.next(led(), new NodeLoad(cpu, ranges.size(), maxRanges), second * 1_000)
          .ifPresent(this::carryOut);
    }
  }

  private void request(int unit) {
    int start = ranges.floorKey(unit);
    RangeMeter meter = Objects.requireNonNull(ranges.get(start));
    meter.applied(1, nanosPerRequest, nanosPerRequest);
    meter.touched(
        ByteBuffer.allocate(5).putInt(unit).put((byte) random.nextInt(ROWS_PER_UNIT)).array());
    lastSecond.merge(start, 1, Integer::sum);
  }

  private List<ShapePlan.Led> led() {
    List<ShapePlan.Led> led = new ArrayList<>();
    UnaryOperator<byte[]> unitOf = key -> ByteBuffer.allocate(4).putInt(unit(key)).array();
    ranges.forEach(
        (start, meter) -> {
          Integer end = ranges.higherKey(start);
          led.add(
              new ShapePlan.Led(
                  meter.load("inbox", name(start), unitOf),
                  key(start),
                  end == null ? null : key(end),
                  true));
        });
    return led;
  }

  private void carryOut(ShapePlan.Step step) {
    if (step instanceof ShapePlan.Step.Split split) {
      int left = Integer.parseInt(split.range());
      ranges.put(left, meter());
      ranges.put(unit(split.key()), meter());
      splits++;
    } else if (step instanceof ShapePlan.Step.Merge merge) {
      ranges.remove(Integer.parseInt(merge.right()));
      ranges.put(Integer.parseInt(merge.left()), meter());
      merges++;
    }
  }

  int ranges() {
    return ranges.size();
  }

  /** Requests of the busiest range in the latest second, as a share of all. */
  double busiestShare() {
    int all = lastSecond.values().stream().mapToInt(Integer::intValue).sum();
    int most = lastSecond.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    return all == 0 ? 0 : (double) most / all;
  }

  /** What was said last about the range that holds a unit. */
  Optional<SplitAdvice> adviceAbout(int unit) {
    return Optional.ofNullable(plan.latest().get(name(ranges.floorKey(unit))));
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
