package io.fjordmq.range.sim;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitStrategy;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.range.load.MedianSplitKey;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;

/**
 * A strategy that wants a range split now and then, wherever that halves its load, and neighbours
 * merged, whatever they have to do.
 */
public final class RandomWishes implements SplitStrategy {
  private final Simulation simulation;
  private final int percent;
  private final Set<String> wished = new HashSet<>();
  private boolean resting;

  /**
   * @param percent of the times that it is asked
   */
  public RandomWishes(Simulation simulation, int percent) {
    this.simulation = simulation;
    this.percent = percent;
  }

  /** Wants nothing, or again as before. */
  public void rest(boolean resting) {
    this.resting = resting;
  }

  /** Whether it has ever wanted a range to begin there. */
  public boolean wanted(byte[] key) {
    return wished.contains(HexFormat.of().formatHex(key));
  }

  @Override
  public SplitAdvice advise(RangeLoad load, NodeLoad node) {
    byte[] key = MedianSplitKey.nearest(load.keys());
    if (resting || key == null || !simulation.chance(percent)) {
      return new SplitAdvice.Keep(SplitAdvice.Reason.OTHER);
    }
    wished.add(HexFormat.of().formatHex(key));
    return new SplitAdvice.Split(key);
  }

  @Override
  public boolean shouldMerge(RangeLoad left, RangeLoad right) {
    return !resting && simulation.chance(percent);
  }
}
