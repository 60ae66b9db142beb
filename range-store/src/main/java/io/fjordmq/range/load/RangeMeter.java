package io.fjordmq.range.load;

import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.RangeLoad.Spread;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;

/**
 * Measures what one range has to do on the node that leads it. {@link #applied}, {@link #queried}
 * and {@link #touched} may be called by any thread and cost some tens of nanoseconds; {@link
 * #tick}, {@link #load} and {@link #commands} belong to one thread.
 */
public final class RangeMeter {
  public static final int WINDOW_SECONDS = 10;
  private static final int KEYS = 512;

  private final LongAdder requests = new LongAdder();
  private final LongAdder commands = new LongAdder();
  private final LongAdder applyNanos = new LongAdder();
  private final LongAdder writeNanos = new LongAdder();
  private final KeyReservoir keys;

  private final double[] requestsPerSecond = new double[WINDOW_SECONDS];
  private final double[] busy = new double[WINDOW_SECONDS];
  private final double[] writeNanosPerSecond = new double[WINDOW_SECONDS];
  private final double[] commandsPerSecond = new double[WINDOW_SECONDS];
  private final Peaks peaks;
  private int seconds;

  /**
   * @param idleWindow the longer window, in which idle ranges are found
   * @param seed of the choice of sampled keys
   */
  public RangeMeter(Duration idleWindow, long seed) {
    this.peaks = new Peaks(idleWindow);
    this.keys = new KeyReservoir(KEYS, seed);
  }

  /**
   * Commands were executed and written in one go.
   *
   * @param nanos that it took the apply thread
   * @param ofWriting of them, those until storage had taken what was written
   */
  public void applied(int count, long nanos, long ofWriting) {
    requests.add(count);
    commands.add(count);
    applyNanos.add(nanos);
    writeNanos.add(ofWriting);
  }

  /** A query was answered. */
  public void queried() {
    requests.increment();
  }

  /**
   * A row was written, deleted or looked for.
   *
   * @param key not changed later by anybody
   */
  public void touched(byte[] key) {
    keys.offer(key);
  }

  /**
   * A second is over, or about a second.
   *
   * @param nanos since the tick before
   */
  public void tick(long nanos) {
    double share = 1e9 / Math.max(1, nanos);
    int slot = seconds % WINDOW_SECONDS;
    requestsPerSecond[slot] = requests.sumThenReset() * share;
    commandsPerSecond[slot] = commands.sumThenReset() * share;
    writeNanosPerSecond[slot] = writeNanos.sumThenReset() * share;
    busy[slot] = Math.min(1, applyNanos.sumThenReset() * share / 1e9);
    peaks.second(requestsPerSecond[slot]);
    seconds++;
    if (seconds % WINDOW_SECONDS == 0) {
      keys.turn();
    }
  }

  /**
   * What was measured. Until a whole window has passed, what is missing counts as nothing.
   *
   * @param cut to the first key of what a key cannot be cut from
   */
  public RangeLoad load(String store, String range, UnaryOperator<byte[]> cut) {
    // A range that is hot is not to be cut where the load was before it became so. A sample is of
    // some seconds, since a moment may belong to one client.
    boolean latest = seconds % WINDOW_SECONDS >= WINDOW_SECONDS / 2;
    double executed = Arrays.stream(commandsPerSecond).sum();
    return new RangeLoad(
        store,
        range,
        Duration.ofSeconds(seconds),
        spread(requestsPerSecond),
        peaks.highest(),
        peaks.observed(),
        spread(busy),
        executed == 0 ? 0 : Arrays.stream(writeNanosPerSecond).sum() / executed,
        () -> sortedCuts(latest ? keys.latest() : keys.sample(), cut));
  }

  /** Executed per second, mean of the latest seconds. */
  public double commands() {
    return spread(commandsPerSecond).mean();
  }

  private static List<byte[]> sortedCuts(List<byte[]> sample, UnaryOperator<byte[]> cut) {
    return sample.stream().map(cut).sorted(Arrays::compareUnsigned).toList();
  }

  private static Spread spread(double[] values) {
    var all = Arrays.stream(values).summaryStatistics();
    return new Spread(all.getMin(), all.getAverage(), all.getMax());
  }
}
