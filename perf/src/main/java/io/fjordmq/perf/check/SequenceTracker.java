package io.fjordmq.perf.check;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Tracks which numbers of a sequence 0, 1, 2 … have been received. Each number should arrive once
 * and in order. As long as they do, the state is a single number; gaps are kept as intervals.
 * Numbers sent while the receiver is disconnected are optional.
 */
public final class SequenceTracker {
  /** The classification of a number. */
  public enum Outcome {
    NEW,
    /** A later number has already arrived. */
    LATE,
    DUPLICATE
  }

  private int next;
  private boolean disconnected;

  /**
   * Missing numbers as intervals, from the first number of a gap (inclusive) to the number after
   * the gap (exclusive); null without gaps.
   */
  private @Nullable TreeMap<Integer, Integer> gaps;

  /** Like {@link #gaps}, for optional numbers. */
  private @Nullable TreeMap<Integer, Integer> optionalGaps;

  /** Records and classifies a received number. */
  public Outcome accept(int number) {
    if (number == next) {
      next++;
      return Outcome.NEW;
    }
    if (number > next) {
      open(number);
      next = number + 1;
      return Outcome.NEW;
    }
    if (fill(gaps, number)) {
      return Outcome.LATE;
    }
    return fill(optionalGaps, number) ? Outcome.NEW : Outcome.DUPLICATE;
  }

  /** Records the gap that ends before the number. */
  private void open(int number) {
    TreeMap<Integer, Integer> intervals = disconnected ? optionalGaps : gaps;
    if (intervals == null) {
      intervals = new TreeMap<>();
      if (disconnected) {
        optionalGaps = intervals;
      } else {
        gaps = intervals;
      }
    }
    intervals.put(next, number);
  }

  private static boolean fill(@Nullable TreeMap<Integer, Integer> open, int number) {
    Map.Entry<Integer, Integer> gap = open == null ? null : open.floorEntry(number);
    if (open == null || gap == null || gap.getValue() <= number) {
      return false;
    }
    open.remove(gap.getKey());
    if (gap.getKey() < number) {
      open.put(gap.getKey(), number);
    }
    if (number + 1 < gap.getValue()) {
      open.put(number + 1, gap.getValue());
    }
    return true;
  }

  /** Called when the receiver has disconnected. */
  void onDisconnected() {
    disconnected = true;
  }

  /**
   * Called when the receiver has reconnected.
   *
   * @param sent numbers sent so far
   * @return how many numbers became optional while the receiver was disconnected and were not
   *     received
   */
  int onReconnected(int sent) {
    int more = Math.max(0, sent - next);
    if (more > 0) {
      open(sent);
      next = sent;
    }
    disconnected = false;
    return more;
  }

  /** Returns the lowest required number that is missing. */
  public int lowest() {
    TreeMap<Integer, Integer> open = gaps;
    return open == null || open.isEmpty() ? next : open.firstKey();
  }

  /** Returns whether the number was received. */
  public boolean isReceived(int number) {
    return number < next && !contains(gaps, number) && !contains(optionalGaps, number);
  }

  private static boolean contains(@Nullable TreeMap<Integer, Integer> open, int number) {
    Map.Entry<Integer, Integer> gap = open == null ? null : open.floorEntry(number);
    return gap != null && gap.getValue() > number;
  }

  /** Returns how many required numbers of a publisher are missing. */
  Missing missing(SentMessages sent, int publisher) {
    return missing(sent.count(publisher), number -> sent.isAcknowledged(publisher, number));
  }

  /** Returns how many of the first {@code sent} numbers are required and missing. */
  public Missing missing(int sent, IntPredicate acknowledged) {
    Missing missing = disconnected ? Missing.NONE : missing(next, sent, acknowledged);
    TreeMap<Integer, Integer> open = gaps;
    if (open != null) {
      for (Map.Entry<Integer, Integer> gap : open.entrySet()) {
        missing = missing.plus(missing(gap.getKey(), gap.getValue(), acknowledged));
      }
    }
    return missing;
  }

  private static Missing missing(int from, int to, IntPredicate acknowledged) {
    long lost = 0;
    for (int number = from; number < to; number++) {
      lost += acknowledged.test(number) ? 1 : 0;
    }
    return new Missing(lost, Math.max(0, to - from) - lost);
  }
}
