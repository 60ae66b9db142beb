package io.fjordmq.router;

import io.fjordmq.range.KeyInterval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A set of key intervals that shrinks as intervals are filled. Not thread-safe. */
final class MissingKeys {
  private List<KeyInterval> gaps;

  MissingKeys(KeyInterval... missing) {
    gaps = List.of(missing);
  }

  boolean isEmpty() {
    return gaps.isEmpty();
  }

  /** Adds an interval, which must not be in the set yet. */
  void add(KeyInterval missing) {
    List<KeyInterval> more = new ArrayList<>(gaps);
    more.add(missing);
    gaps = more;
  }

  List<KeyInterval> all() {
    return gaps;
  }

  /** Returns the gaps that overlap the interval. */
  List<KeyInterval> at(KeyInterval interval) {
    return gaps.stream().filter(interval::overlaps).toList();
  }

  void fill(KeyInterval filled) {
    List<KeyInterval> remaining = new ArrayList<>();
    for (KeyInterval gap : gaps) {
      if (gap.overlaps(filled)) {
        addUnlessEmpty(remaining, gap.start(), filled.start());
        if (filled.end() != null) {
          addUnlessEmpty(remaining, filled.end(), gap.end());
        }
      } else {
        remaining.add(gap);
      }
    }
    gaps = remaining;
  }

  @SuppressWarnings("NullAway") // NullAway does not read the nullness of arrays from class files
  private static void addUnlessEmpty(List<KeyInterval> to, byte[] start, byte @Nullable [] end) {
    if (end == null || Arrays.compareUnsigned(start, end) < 0) {
      to.add(new KeyInterval(start, end));
    }
  }
}
