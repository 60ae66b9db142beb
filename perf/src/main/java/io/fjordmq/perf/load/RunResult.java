package io.fjordmq.perf.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The result of one run.
 *
 * @param broker name of the broker
 * @param figures the values that could be measured
 * @param samples second by second
 * @param latencies percentile to milliseconds of the measured deliveries, ascending; empty without
 *     deliveries
 * @param faults errors of the broker; empty if there were none
 * @param remarks what readers should know before they trust the figures
 */
public record RunResult(
    String broker,
    Map<Figure, Double> figures,
    List<Sample> samples,
    List<Percentile> latencies,
    List<String> faults,
    List<String> remarks) {

  /** The latency that this percentage of deliveries did not exceed. */
  public record Percentile(double percent, double millis) {}

  public RunResult {
    figures = Map.copyOf(figures);
    samples = List.copyOf(samples);
    latencies = List.copyOf(latencies);
    faults = List.copyOf(faults);
    remarks = List.copyOf(remarks);
  }

  /** The same with additional faults and remarks. */
  public RunResult with(List<String> moreFaults, List<String> moreRemarks) {
    List<String> allFaults = new ArrayList<>(faults);
    allFaults.addAll(moreFaults);
    List<String> allRemarks = new ArrayList<>(remarks);
    allRemarks.addAll(moreRemarks);
    return new RunResult(broker, figures, samples, latencies, allFaults, allRemarks);
  }
}
