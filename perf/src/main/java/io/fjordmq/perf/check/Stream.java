package io.fjordmq.perf.check;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What has come of a sequence 0, 1, 2 … that should come once and in order. Costs a number as long
 * as it does; what is missing is kept as intervals. Who receives it may be away for a while: what
 * does not come of that time is not missing.
 */
public final class Stream {
  /** What a number turned out to be. */
  public enum Outcome {
    NEW,
    /** A later one came before it. */
    LATE,
    DUPLICATE
  }

  private int next;
  private boolean away;

  /** From the first missing number of a gap to the one after its last; null if there is no gap. */
  private @Nullable TreeMap<Integer, Integer> gaps;

  /** The same of numbers that need not come. */
  private @Nullable TreeMap<Integer, Integer> excused;

  /** One has come. */
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
    return fill(excused, number) ? Outcome.NEW : Outcome.DUPLICATE;
  }

  /** What is between the next one and this has not come. */
  private void open(int number) {
    TreeMap<Integer, Integer> intervals = away ? excused : gaps;
    if (intervals == null) {
      intervals = new TreeMap<>();
      if (away) {
        excused = intervals;
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

  /** Whoever receives it is gone. */
  void leave() {
    away = true;
  }

  /**
   * Whoever receives it is there again.
   *
   * @param sent how many had been sent by then
   * @return how many of them are excused now that were neither come nor missing before
   */
  int comeBack(int sent) {
    int more = Math.max(0, sent - next);
    if (more > 0) {
      open(sent);
      next = sent;
    }
    away = false;
    return more;
  }

  /** The lowest number that has not come and should have. */
  public int lowest() {
    TreeMap<Integer, Integer> open = gaps;
    return open == null || open.isEmpty() ? next : open.firstKey();
  }

  /** Whether it has come. */
  public boolean has(int number) {
    return number < next && !contains(gaps, number) && !contains(excused, number);
  }

  private static boolean contains(@Nullable TreeMap<Integer, Integer> open, int number) {
    Map.Entry<Integer, Integer> gap = open == null ? null : open.floorEntry(number);
    return gap != null && gap.getValue() > number;
  }

  /** How many of the first {@code sent} have not come and should have. */
  public long missing(int sent) {
    Missing missing = missing(sent, number -> true);
    return missing.lost();
  }

  /**
   * The same, by whether the broker has answered for them.
   *
   * @param sent how many numbers there are
   */
  Missing missing(int sent, IntPredicate answered) {
    Missing missing = away ? Missing.NONE : missing(next, sent, answered);
    TreeMap<Integer, Integer> open = gaps;
    if (open != null) {
      for (Map.Entry<Integer, Integer> gap : open.entrySet()) {
        missing = missing.plus(missing(gap.getKey(), gap.getValue(), answered));
      }
    }
    return missing;
  }

  private static Missing missing(int from, int to, IntPredicate answered) {
    long lost = 0;
    for (int number = from; number < to; number++) {
      lost += answered.test(number) ? 1 : 0;
    }
    return new Missing(lost, Math.max(0, to - from) - lost);
  }
}
