package io.fjordmq.range.load;

import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.RangeLoad.Spread;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;

/**
 * Measures the load of a range on the node that leads it. {@link #recordApplied}, {@link
 * #recordQuery} and {@link #recordAccess} are thread-safe and cost some tens of nanoseconds; {@link
 * #tick}, {@link #load} and {@link #commands} must be called by one thread at a time.
 */
public final class RangeMeter {
  public static final int WINDOW_SECONDS = 10;
  private static final int SAMPLED_KEYS = 512;

  private final LongAdder requests = new LongAdder();
  private final LongAdder commands = new LongAdder();
  private final LongAdder applyNanos = new LongAdder();
  private final LongAdder writeNanos = new LongAdder();
  private final KeyReservoir keys;

  private final double[] requestsPerSecond = new double[WINDOW_SECONDS];
  private final double[] busy = new double[WINDOW_SECONDS];
  private final double[] writeNanosPerSecond = new double[WINDOW_SECONDS];
  private final double[] commandsPerSecond = new double[WINDOW_SECONDS];
  private final SlidingMaximum slidingMaximum;
  private int seconds;

  /**
   * @param idleWindow longer window, over which ranges are judged to be idle
   * @param seed random seed for sampling keys
   */
  public RangeMeter(Duration idleWindow, long seed) {
    this.slidingMaximum = new SlidingMaximum(idleWindow);
    this.keys = new KeyReservoir(SAMPLED_KEYS, seed);
  }

  /**
   * Records commands that were executed and written in a single write.
   *
   * @param nanos time spent by the apply thread
   * @param writing the part of it that was spent writing to storage
   */
  public void recordApplied(int count, long nanos, long writing) {
    requests.add(count);
    commands.add(count);
    applyNanos.add(nanos);
    writeNanos.add(writing);
  }

  /** Records an executed query. */
  public void recordQuery() {
    requests.increment();
  }

  /**
   * Records that a row was written, deleted or read.
   *
   * @param key must not be modified afterwards
   */
  public void recordAccess(byte[] key) {
    keys.offer(key);
  }

  /**
   * Must be called about once a second.
   *
   * @param nanos time since the previous tick
   */
  public void tick(long nanos) {
    double scale = 1e9 / Math.max(1, nanos);
    int slot = seconds % WINDOW_SECONDS;
    requestsPerSecond[slot] = requests.sumThenReset() * scale;
    commandsPerSecond[slot] = commands.sumThenReset() * scale;
    writeNanosPerSecond[slot] = writeNanos.sumThenReset() * scale;
    busy[slot] = Math.min(1, applyNanos.sumThenReset() * scale / 1e9);
    slidingMaximum.addSecond(requestsPerSecond[slot]);
    seconds++;
    if (seconds % WINDOW_SECONDS == 0) {
      keys.rotate();
    }
  }

  /**
   * Returns the measured load. Until a whole window has passed, the missing seconds count as zero.
   *
   * @param splitKeyFloor maps a key to the last permitted split key at or before it
   */
  public RangeLoad load(String store, String range, UnaryOperator<byte[]> splitKeyFloor) {
    // Prefer recent keys, so that a hot range is not split by the load it had before it became hot.
    // A sample covers several seconds, because a single client can dominate a shorter period.
    boolean latest = seconds % WINDOW_SECONDS >= WINDOW_SECONDS / 2;
    double executed = Arrays.stream(commandsPerSecond).sum();
    return new RangeLoad(
        store,
        range,
        Duration.ofSeconds(seconds),
        spread(requestsPerSecond),
        slidingMaximum.highest(),
        slidingMaximum.observed(),
        spread(busy),
        executed == 0 ? 0 : Arrays.stream(writeNanosPerSecond).sum() / executed,
        () -> sortedSplitKeys(latest ? keys.latest() : keys.sample(), splitKeyFloor));
  }

  /** Returns the mean number of commands executed per second over the window. */
  public double commands() {
    return spread(commandsPerSecond).mean();
  }

  private static List<byte[]> sortedSplitKeys(
      List<byte[]> sample, UnaryOperator<byte[]> splitKeyFloor) {
    return sample.stream().map(splitKeyFloor).sorted(Arrays::compareUnsigned).toList();
  }

  private static Spread spread(double[] values) {
    var all = Arrays.stream(values).summaryStatistics();
    return new Spread(all.getMin(), all.getAverage(), all.getMax());
  }
}
