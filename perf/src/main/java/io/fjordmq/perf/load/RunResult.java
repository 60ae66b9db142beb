package io.fjordmq.perf.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What was seen in one run.
 *
 * @param broker whose
 * @param figures what can be said
 * @param samples second by second
 * @param latencies percentile to milliseconds of the deliveries counted, ascending; empty without
 *     deliveries
 * @param faults what a broker must not do; empty if it did nothing wrong
 * @param remarks what a reader should know before believing the figures
 */
public record RunResult(
    String broker,
    Map<Figure, Double> figures,
    List<Sample> samples,
    List<Percentile> latencies,
    List<String> faults,
    List<String> remarks) {

  /** So many percent of the deliveries took no longer. */
  public record Percentile(double percent, double millis) {}

  public RunResult {
    figures = Map.copyOf(figures);
    samples = List.copyOf(samples);
    latencies = List.copyOf(latencies);
    faults = List.copyOf(faults);
    remarks = List.copyOf(remarks);
  }

  /** The same with more faults and more to know. */
  public RunResult with(List<String> moreFaults, List<String> moreRemarks) {
    List<String> allFaults = new ArrayList<>(faults);
    allFaults.addAll(moreFaults);
    List<String> allRemarks = new ArrayList<>(remarks);
    allRemarks.addAll(moreRemarks);
    return new RunResult(broker, figures, samples, latencies, allFaults, allRemarks);
  }
}
