package io.fjordmq.perf.load;

import java.util.Arrays;
import java.util.List;

/** Statistics over several runs. */
public final class RunStatistics {
  private RunStatistics() {}

  /** Returns the values of a figure in the order of the broker's runs. */
  public static double[] values(List<RunResult> runs, String broker, ResultMetric metric) {
    return runs.stream()
        .filter(run -> run.broker().equals(broker) && run.figures().containsKey(metric))
        .mapToDouble(run -> run.figure(metric))
        .toArray();
  }

  /**
   * Returns the median, which is the lower of the two middle values if the number of values is
   * even; NaN if there are no values.
   */
  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted.length == 0 ? Double.NaN : sorted[(sorted.length - 1) / 2];
  }

  /**
   * Returns the ratio of the first runs of two brokers, that of their second runs, and so on. Runs
   * are paired because the speed of a host changes over time. Empty if the brokers have different
   * numbers of runs.
   */
  public static double[] ratios(double[] ours, double[] theirs) {
    double[] ratios = new double[ours.length == theirs.length ? ours.length : 0];
    Arrays.setAll(ratios, run -> ours[run] / theirs[run]);
    return ratios;
  }
}
