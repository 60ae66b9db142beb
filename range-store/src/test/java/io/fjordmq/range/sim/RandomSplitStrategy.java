package io.fjordmq.range.sim;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitStrategy;
import io.fjordmq.range.load.MedianSplitKey;
import io.fjordmq.testing.Simulation;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;

/**
 * A strategy that at random requests a split at the key that halves the load, or a merge of
 * neighbors, regardless of their load.
 */
public final class RandomSplitStrategy implements SplitStrategy {
  private final Simulation simulation;
  private final int percent;
  private final Set<String> requestedKeys = new HashSet<>();
  private boolean paused;

  /**
   * @param percent probability of a request at each call
   */
  public RandomSplitStrategy(Simulation simulation, int percent) {
    this.simulation = simulation;
    this.percent = percent;
  }

  /** Stops or resumes making requests. */
  public void setPaused(boolean paused) {
    this.paused = paused;
  }

  /** Whether it has ever requested a range that starts at this key. */
  public boolean hasRequested(byte[] key) {
    return requestedKeys.contains(HexFormat.of().formatHex(key));
  }

  @Override
  public SplitAdvice advise(RangeLoad load, NodeLoad node) {
    byte[] key = MedianSplitKey.nearest(load.keys());
    if (paused || key == null || !simulation.chance(percent)) {
      return new SplitAdvice.Keep(SplitAdvice.Reason.OTHER);
    }
    requestedKeys.add(HexFormat.of().formatHex(key));
    return new SplitAdvice.Split(key);
  }

  @Override
  public boolean shouldMerge(RangeLoad left, RangeLoad right) {
    return !paused && simulation.chance(percent);
  }
}
