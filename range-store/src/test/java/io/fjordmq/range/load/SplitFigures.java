package io.fjordmq.range.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * {@code SplitFigures} or {@code SplitFigures FILE DENSITY}; started by {@code bin/ranges.sh
 * replay}. Prints what the default strategy makes of every {@link KnownLoad}, or of a recording if
 * a range may carry so many requests per second.
 */
public final class SplitFigures {
  private SplitFigures() {}

  /** See the class. */
  public static void main(String[] args) throws IOException {
    if (args.length != 0 && args.length != 2) {
      throw new IllegalArgumentException("usage: SplitFigures [FILE DENSITY]");
    }
    System.out.println(
        "| load | seconds | a range may carry | splits | merges | ranges, most | at the end |"
            + " busiest range, requests/s | its share | share of the busiest key |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|");
    if (args.length == 0) {
      for (KnownLoad load : KnownLoad.values()) {
        print(load.title, load.density, load.play());
      }
    } else {
      Path file = Path.of(args[0]);
      int density = Integer.parseInt(args[1]);
      MadeUpRanges ranges = new MadeUpRanges(KnownLoad.strategy(density, 30_000));
      ranges.replay(RecordedLoad.read(Files.readString(file)));
      print(String.valueOf(file.getFileName()), density, ranges);
    }
  }

  private static void print(String title, int density, MadeUpRanges ranges) {
    System.out.printf(
        Locale.ROOT,
        "| %s | %,d | %,d | %d | %d | %d | %d | %,.0f | %.0f %% | %.0f %% |%n",
        title,
        ranges.seconds(),
        density,
        ranges.splits,
        ranges.merges,
        ranges.mostRanges(),
        ranges.ranges(),
        ranges.busiest(),
        100 * ranges.busiestShare(),
        100 * ranges.busiestUnitShare());
  }
}
