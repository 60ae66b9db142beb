package io.fjordmq.perf.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.load.RunStatistics;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The results of all runs of one scenario, with everything that is needed to repeat and assess
 * them.
 *
 * @param scenario name of the scenario
 * @param summary one-line description
 * @param published results that others have published for the scenario; may be empty
 * @param flow which clients receive which messages; empty for benchmarks
 * @param command the command line exactly as given
 * @param startedAt date and time, ISO 8601
 * @param facts facts about the host, the commit and the settings, by name
 * @param notes how the run differs from what the scenario's name implies
 * @param warmSeconds duration of the warm-up before the measured period
 * @param seconds duration of the measured period; for connection scenarios, how long connections
 *     are held
 * @param runs runs in chronological order
 */
@JsonPropertyOrder({"format", "flawless", "medians", "sums"})
public record Report(
    String scenario,
    String summary,
    String published,
    String flow,
    String command,
    String startedAt,
    Map<String, String> facts,
    List<String> notes,
    int warmSeconds,
    int seconds,
    List<RunResult> runs) {

  /** Returns the brokers, in the order of their first runs. */
  public List<String> brokers() {
    Set<String> names = new LinkedHashSet<>();
    runs.forEach(run -> names.add(run.broker()));
    return List.copyOf(names);
  }

  public List<RunResult> runsOf(String broker) {
    return runs.stream().filter(run -> run.broker().equals(broker)).toList();
  }

  /**
   * Aggregates a figure over all runs of a broker: the sum for faults, otherwise the median (with
   * an even number of runs, the lower of the two middle values).
   */
  public OptionalDouble aggregate(String broker, ResultMetric figure) {
    double[] values = RunStatistics.values(runs, broker, figure);
    if (values.length == 0) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(
        figure.isFault() ? Arrays.stream(values).sum() : RunStatistics.median(values));
  }

  /**
   * Returns the ratio of two brokers, which is the median of {@link RunStatistics#ratios}; empty if
   * it is meaningless.
   */
  String ratio(String broker, String other, ResultMetric metric) {
    double[] theirs = RunStatistics.values(runs, other, metric);
    double median =
        RunStatistics.median(
            RunStatistics.ratios(RunStatistics.values(runs, broker, metric), theirs));
    return metric.better() != ResultMetric.Direction.NEITHER && Double.isFinite(median)
        ? "%.2f".formatted(median)
        : "";
  }

  /** Returns the distinct lines of all runs of a broker. */
  List<String> lines(String broker, Function<RunResult, List<String>> of) {
    return runsOf(broker).stream().flatMap(run -> of.apply(run).stream()).distinct().toList();
  }

  @JsonProperty(access = JsonProperty.Access.READ_ONLY)
  int format() {
    return ReportJson.FORMAT;
  }

  /** Returns the figures of each broker, without faults. */
  @JsonProperty(access = JsonProperty.Access.READ_ONLY)
  Map<String, Map<ResultMetric, Double>> medians() {
    return aggregate(metric -> !metric.isFault());
  }

  /** Returns the faults of each broker. */
  @JsonProperty(access = JsonProperty.Access.READ_ONLY)
  Map<String, Map<ResultMetric, Double>> sums() {
    return aggregate(ResultMetric::isFault);
  }

  private Map<String, Map<ResultMetric, Double>> aggregate(Predicate<ResultMetric> filter) {
    Map<String, Map<ResultMetric, Double>> all = new LinkedHashMap<>();
    for (String broker : brokers()) {
      Map<ResultMetric, Double> figures = new TreeMap<>();
      Stream.of(ResultMetric.values())
          .filter(filter)
          .forEach(
              metric -> aggregate(broker, metric).ifPresent(value -> figures.put(metric, value)));
      all.put(broker, figures);
    }
    return all;
  }

  /**
   * Returns the run to draw: the median run by CPU per message or, without that figure, the last
   * run.
   */
  public RunResult median(String broker) {
    List<RunResult> all = runsOf(broker);
    double middle = aggregate(broker, ResultMetric.CPU_MICROS).orElse(Double.NaN);
    return all.stream()
        .filter(run -> run.figure(ResultMetric.CPU_MICROS) == middle)
        .findFirst()
        .orElse(all.get(all.size() - 1));
  }

  /** Returns whether clients only connected and stayed connected. */
  public boolean isOfConnections() {
    return flow.equals("connections");
  }

  /** Returns whether no broker had any fault. */
  @JsonProperty(value = "flawless", access = JsonProperty.Access.READ_ONLY)
  public boolean hasNoFaults() {
    return runs.stream().allMatch(run -> run.faults().isEmpty());
  }
}
