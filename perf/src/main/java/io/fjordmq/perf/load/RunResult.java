package io.fjordmq.perf.load;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The result of one run.
 *
 * @param broker name of the broker
 * @param figures the values that could be measured
 * @param samples one sample per second
 * @param latencies delivery latency in milliseconds by percentile; empty without deliveries
 * @param faults errors of the broker; empty if there were none
 * @param remarks what readers should know before they trust the figures
 */
public record RunResult(
    String broker,
    Map<ResultMetric, Double> figures,
    List<Sample> samples,
    @JsonProperty("latencyMillisByPercent") SortedMap<Double, Double> latencies,
    List<String> faults,
    List<String> remarks) {

  public RunResult {
    figures = Collections.unmodifiableMap(new TreeMap<>(figures)); // in the order of reports
    samples = List.copyOf(samples);
    latencies = Collections.unmodifiableSortedMap(new TreeMap<>(latencies));
    faults = List.copyOf(faults);
    remarks = List.copyOf(remarks);
  }

  /** Returns a figure; 0 if it could not be measured. */
  public double figure(ResultMetric metric) {
    return figures.getOrDefault(metric, 0.0);
  }

  /** Returns this result without its samples. */
  public RunResult withoutSamples() {
    return new RunResult(broker, figures, List.of(), latencies, faults, remarks);
  }

  /** Returns this result with additional faults and remarks. */
  public RunResult with(List<String> moreFaults, List<String> moreRemarks) {
    List<String> allFaults = new ArrayList<>(faults);
    allFaults.addAll(moreFaults);
    List<String> allRemarks = new ArrayList<>(remarks);
    allRemarks.addAll(moreRemarks);
    return new RunResult(broker, figures, samples, latencies, allFaults, allRemarks);
  }

  /** Returns this result with additional or replaced figures. */
  public RunResult with(Map<ResultMetric, Double> more) {
    Map<ResultMetric, Double> all = new TreeMap<>(figures);
    all.putAll(more);
    return new RunResult(broker, all, samples, latencies, faults, remarks);
  }
}
