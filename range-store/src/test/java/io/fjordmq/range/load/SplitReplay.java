package io.fjordmq.range.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * {@code SplitReplay} or {@code SplitReplay FILE DENSITY}; started by {@code bin/perf.sh replay}.
 * Prints how the default strategy splits each {@link KnownLoad}, or the recording in FILE. DENSITY
 * is the capacity of a range in requests per second.
 */
public final class SplitReplay {
  private SplitReplay() {}

  /** Runs the tool; see the class comment for its arguments. */
  public static void main(String[] args) throws IOException {
    if (args.length != 0 && args.length != 2) {
      throw new IllegalArgumentException("usage: SplitReplay [FILE DENSITY]");
    }
    System.out.println(
        "| load | seconds | range capacity, /s | splits | merges | most ranges | ranges at the end |"
            + " busiest range, /s | its share | share of the busiest key |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|");
    if (args.length == 0) {
      for (KnownLoad load : KnownLoad.values()) {
        print(load.title, load.density, load.simulate());
      }
    } else {
      Path file = Path.of(args[0]);
      int density = Integer.parseInt(args[1]);
      SyntheticRanges ranges = new SyntheticRanges(KnownLoad.strategy(density, 30_000));
      ranges.replay(RecordedLoad.read(Files.readString(file)));
      print(String.valueOf(file.getFileName()), density, ranges);
    }
  }

  private static void print(String title, int density, SyntheticRanges ranges) {
    System.out.printf(
        Locale.ROOT,
        "| %s | %,d | %,d | %d | %d | %d | %d | %,.0f | %.0f %% | %.0f %% |%n",
        title,
        ranges.seconds(),
        density,
        ranges.splits,
        ranges.merges,
        ranges.peakRanges(),
        ranges.ranges(),
        ranges.busiestRangeRate(),
        100 * ranges.busiestRangeShare(),
        100 * ranges.busiestUnitShare());
  }
}
