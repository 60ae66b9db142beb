package io.fjordmq.range.load;

import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where sampled keys are best cut in two. */
public final class HalvingCut {
  /*
   * Each sampled key stands for the same load, so the best cut is at the key nearest to the middle
   * of the sorted sample. With n samples the share left of a cut is known to about ±1/√n: fewer than
   * LEAST_KEYS would make a coin toss of it.
   */
  static final int LEAST_KEYS = 64;

  /** Of the load, that the heavier part may keep. More, and the cut is not worth a range. */
  private static final double HEAVIEST_PART = 2.0 / 3;

  /** Of the load, from which on a single key makes every cut a vain one. */
  private static final double HOT_KEY = 0.5;

  private HalvingCut() {}

  /** The cut, or why there is none that is worth it. */
  static SplitAdvice of(List<byte[]> keys) {
    int total = keys.size();
    if (!isEnough(keys)) {
      return new SplitAdvice.Keep(Reason.TOO_FEW_KEYS);
    }
    int best = best(keys);
    int longestRun = 0;
    int runStart = 0;
    for (int i = 1; i <= total; i++) {
      if (i == total || !Arrays.equals(keys.get(i), keys.get(i - 1))) {
        longestRun = Math.max(longestRun, i - runStart);
        runStart = i;
      }
    }
    if (best > 0 && heavier(best, total) <= HEAVIEST_PART * total) {
      return new SplitAdvice.Split(keys.get(best));
    }
    return new SplitAdvice.Keep(longestRun >= HOT_KEY * total ? Reason.ONE_HOT_KEY : Reason.UNEVEN);
  }

  /** Whether there are enough keys to tell where the load is halved. */
  public static boolean isEnough(List<byte[]> keys) {
    return keys.size() >= LEAST_KEYS;
  }

  /**
   * The key nearest to the middle, worth it or not.
   *
   * @param keys ascending
   * @return null if there are not two different ones
   */
  public static byte @Nullable [] nearest(List<byte[]> keys) {
    int best = best(keys);
    return best == 0 ? null : keys.get(best);
  }

  private static int best(List<byte[]> keys) {
    int total = keys.size();
    int best = 0;
    for (int i = 1; i < total; i++) {
      if (!Arrays.equals(keys.get(i), keys.get(i - 1))
          && heavier(i, total) < heavier(best, total)) {
        best = i;
      }
    }
    return best;
  }

  private static int heavier(int left, int total) {
    return Math.max(left, total - left);
  }
}
