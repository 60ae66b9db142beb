package io.fjordmq.range.load;

import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the key that splits the load of a range in half, from a sample of its keys. */
public final class MedianSplitKey {
  /*
   * Each sampled key represents the same load, so the best split key is the one nearest to the
   * median of the sorted sample. With n samples the share left of it is known to about ±1/√n, so
   * fewer than MIN_KEYS are not conclusive.
   */
  static final int MIN_KEYS = 64;

  /** Maximum share of the load in the heavier half for a split to be worthwhile. */
  private static final double MAX_SHARE = 2.0 / 3;

  /** A single key with at least this share of the load makes every split useless. */
  private static final double HOT_KEY_SHARE = 0.5;

  private MedianSplitKey() {}

  /** Returns the split, or the reason why no split is worthwhile. */
  static SplitAdvice of(List<byte[]> keys) {
    int total = keys.size();
    if (!isEnough(keys)) {
      return new SplitAdvice.Keep(Reason.TOO_FEW_KEYS);
    }
    int best = bestIndex(keys);
    int longestRun = 0;
    int runStart = 0;
    for (int i = 1; i <= total; i++) {
      if (i == total || !Arrays.equals(keys.get(i), keys.get(i - 1))) {
        longestRun = Math.max(longestRun, i - runStart);
        runStart = i;
      }
    }
    if (best > 0 && heavierCount(best, total) <= MAX_SHARE * total) {
      return new SplitAdvice.Split(keys.get(best));
    }
    return new SplitAdvice.Keep(
        longestRun >= HOT_KEY_SHARE * total ? Reason.ONE_HOT_KEY : Reason.UNEVEN);
  }

  /** Returns whether the sample is large enough to find the key that halves the load. */
  public static boolean isEnough(List<byte[]> keys) {
    return keys.size() >= MIN_KEYS;
  }

  /**
   * Returns the split key nearest to the median, whether or not the split is worthwhile.
   *
   * @param keys in ascending order
   * @return null if all keys are equal
   */
  public static byte @Nullable [] nearest(List<byte[]> keys) {
    int best = bestIndex(keys);
    return best == 0 ? null : keys.get(best);
  }

  private static int bestIndex(List<byte[]> keys) {
    int total = keys.size();
    int best = 0;
    for (int i = 1; i < total; i++) {
      if (!Arrays.equals(keys.get(i), keys.get(i - 1))
          && heavierCount(i, total) < heavierCount(best, total)) {
        best = i;
      }
    }
    return best;
  }

  private static int heavierCount(int left, int total) {
    return Math.max(left, total - left);
  }
}
