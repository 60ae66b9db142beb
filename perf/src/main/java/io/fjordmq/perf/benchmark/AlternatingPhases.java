package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The results of phases that alternated between two kinds of load. Each result is compared with the
 * one next to it, because the speed of a host changes over time.
 *
 * @param ours results of the first kind
 * @param theirs as many results of the second kind
 */
record AlternatingPhases(List<RunResult> ours, List<RunResult> theirs) {
  AlternatingPhases {
    if (ours.size() != theirs.size() || ours.isEmpty()) {
      throw new IllegalArgumentException(
          "must have as many results of one kind as of the other, not %d and %d"
              .formatted(ours.size(), theirs.size()));
    }
    ours = List.copyOf(ours);
    theirs = List.copyOf(theirs);
  }

  /** Returns the ratio of a figure of each pair, in ascending order. */
  List<Double> ratios(ResultMetric metric) {
    return IntStream.range(0, ours.size())
        .mapToObj(i -> ours.get(i).figure(metric) / theirs.get(i).figure(metric))
        .sorted()
        .toList();
  }

  /**
   * Returns the median ratio of a figure; the lower of the two middle ratios if their number is
   * even.
   */
  double medianRatio(ResultMetric metric) {
    List<Double> ratios = ratios(metric);
    return ratios.get((ratios.size() - 1) / 2);
  }
}
