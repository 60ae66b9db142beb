package io.fjordmq.perf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The result of one run of a {@link Workload}: named values, always the same ones in the same
 * order.
 */
final class Measures {
  private enum Kind {
    /** The median of all runs; also compared between brokers. */
    COMPARED,
    /** The median of all runs. */
    SHOWN,
    /** The sum of all runs. */
    COUNTED
  }

  private record Measure(String name, Kind kind, double value) {}

  private final List<Measure> all = new ArrayList<>();

  /** A cost or a rate, which is compared between brokers. */
  Measures compared(String name, double value) {
    all.add(new Measure(name, Kind.COMPARED, value));
    return this;
  }

  Measures shown(String name, double value) {
    all.add(new Measure(name, Kind.SHOWN, value));
    return this;
  }

  /** A number of errors, where a single one in any run matters. */
  Measures counted(String name, long count) {
    all.add(new Measure(name, Kind.COUNTED, count));
    return this;
  }

  /**
   * The combined result of several runs of one figure.
   *
   * @param runs at least one
   */
  static Measures median(List<Measures> runs) {
    Measures median = new Measures();
    for (int i = 0; i < runs.get(0).all.size(); i++) {
      int at = i;
      Measure first = runs.get(0).all.get(i);
      ToDoubleFunction<Measures> value = run -> run.all.get(at).value;
      double one =
          first.kind == Kind.COUNTED
              ? runs.stream().mapToDouble(value).sum()
              : median(runs.stream().mapToDouble(value).toArray());
      median.all.add(new Measure(first.name, first.kind, one));
    }
    return median;
  }

  /** The medians of the ratios of corresponding runs of two brokers. */
  static Measures medianRatios(List<Measures> ours, List<Measures> theirs) {
    Measures ratios = new Measures();
    for (int i = 0; i < ours.get(0).all.size(); i++) {
      int at = i;
      Measure first = ours.get(0).all.get(i);
      if (first.kind == Kind.COMPARED) {
        double[] all =
            IntStream.range(0, ours.size())
                .mapToDouble(
                    run -> ours.get(run).all.get(at).value / theirs.get(run).all.get(at).value)
                .toArray();
        ratios.compared(first.name, median(all));
      }
    }
    return ratios;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /** One line for the terminal. */
  @Override
  public String toString() {
    return all.stream().map(Measures::text).collect(Collectors.joining("; "));
  }

  private static String text(Measure measure) {
    String number = measure.kind == Kind.COUNTED || measure.value >= 1_000 ? "%.0f" : "%.2f";
    return measure.name + " " + String.format(Locale.ROOT, number, measure.value);
  }
}
