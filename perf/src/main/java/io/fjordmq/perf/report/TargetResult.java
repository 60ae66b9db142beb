package io.fjordmq.perf.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.load.RunStatistics;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one row of the table of targets.
 *
 * @param name name of the row
 * @param row the row
 * @param command command that repeats the measurement on new brokers
 * @param runs runs in chronological order
 * @param failure why runs are missing; null if none is
 */
public record TargetResult(
    String name, TargetRow row, String command, List<RunResult> runs, @Nullable String failure) {
  /**
   * A figure of one broker with its target.
   *
   * @param values the figures of the broker's runs, or their ratios to mosquitto's
   * @param medians the medians of the broker and of mosquitto; empty unless the values are ratios
   */
  record Outcome(
      String broker, ResultMetric metric, Target target, double[] values, double[] medians) {
    @JsonProperty
    String met() {
      boolean isKnown = values.length > 0 && Double.isFinite(target.limit());
      return !isKnown ? "–" : RunStatistics.median(values) <= target.limit() ? "yes" : "no";
    }

    String measured() {
      if (values.length == 0) {
        return "–";
      }
      DoubleSummaryStatistics range = Arrays.stream(values).summaryStatistics();
      String text =
          "%s (%s–%s)"
              .formatted(
                  number(RunStatistics.median(values)),
                  number(range.getMin()),
                  number(range.getMax()));
      return medians.length == 0
          ? text + " " + metric.unit()
          : "%s: %s and %s %s"
              .formatted(text, number(medians[0]), number(medians[1]), metric.unit());
    }

    private static String number(double value) {
      return (value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f").formatted(value);
    }
  }

  /** Returns an outcome for each target and broker; mosquitto is not compared with itself. */
  @JsonProperty
  List<Outcome> outcomes() {
    List<String> brokers = runs.stream().map(RunResult::broker).distinct().toList();
    List<Outcome> outcomes = new ArrayList<>();
    row.targets()
        .forEach(
            (metric, target) -> {
              double[] others = RunStatistics.values(runs, BrokerSpec.MOSQUITTO, metric);
              for (String broker : brokers.isEmpty() ? List.of("–") : brokers) {
                double[] values = RunStatistics.values(runs, broker, metric);
                if (!target.ofMosquitto()) {
                  outcomes.add(new Outcome(broker, metric, target, values, new double[0]));
                } else if (!broker.equals(BrokerSpec.MOSQUITTO)) {
                  double[] medians = {RunStatistics.median(values), RunStatistics.median(others)};
                  double[] ratios = RunStatistics.ratios(values, others);
                  outcomes.add(new Outcome(broker, metric, target, ratios, medians));
                }
              }
            });
    return outcomes;
  }

  /** Returns the failure, faults and remarks of the row, one per line. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (failure != null) {
      problems.add(name + ": incomplete: " + failure.replaceAll("\\s*\n\\s*", " "));
    }
    for (RunResult run : runs) {
      run.faults().forEach(line -> problems.add(name + ": FAULT of " + run.broker() + ": " + line));
      run.remarks().forEach(line -> problems.add(name + ": " + run.broker() + ": " + line));
    }
    return problems.stream().distinct().toList();
  }
}
