package io.fjordmq.perf.load;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What has come of a sequence 0, 1, 2 … that should come once and in order. Costs a number as long
 * as it does; what is missing is kept as intervals.
 */
final class Stream {
  /** What a number turned out to be. */
  enum Outcome {
    NEW,
    /** A later one came before it. */
    LATE,
    DUPLICATE
  }

  private int next;

  /** From the first missing number of a gap to the one after its last; null if there is no gap. */
  private @Nullable TreeMap<Integer, Integer> gaps;

  Outcome accept(int number) {
    if (number == next) {
      next++;
      return Outcome.NEW;
    }
    if (number > next) {
      TreeMap<Integer, Integer> open = gaps;
      if (open == null) {
        open = new TreeMap<>();
        gaps = open;
      }
      open.put(next, number);
      next = number + 1;
      return Outcome.NEW;
    }
    return fill(number) ? Outcome.LATE : Outcome.DUPLICATE;
  }

  private boolean fill(int number) {
    TreeMap<Integer, Integer> open = gaps;
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

  /** The lowest number that has not come. */
  int lowest() {
    TreeMap<Integer, Integer> open = gaps;
    return open == null || open.isEmpty() ? next : open.firstKey();
  }

  /** How many of the first {@code sent} have not come. */
  long missing(int sent) {
    long missing = Math.max(0, sent - next);
    TreeMap<Integer, Integer> open = gaps;
    if (open != null) {
      for (Map.Entry<Integer, Integer> gap : open.entrySet()) {
        missing += gap.getValue() - gap.getKey();
      }
    }
    return missing;
  }
}
