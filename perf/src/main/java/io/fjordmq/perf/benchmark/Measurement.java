package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** Collects the figures and faults of one run of a benchmark. */
final class Measurement {
  private final Map<ResultMetric, Double> figures = new EnumMap<>(ResultMetric.class);
  private final List<String> faults = new ArrayList<>();

  Measurement put(ResultMetric metric, double value) {
    figures.put(metric, value);
    return this;
  }

  /** Adds CONNACK latencies, given in microseconds. */
  Measurement connects(Histogram micros) {
    return put(ResultMetric.CONNECT_MEAN_MS, micros.getMean() / 1000)
        .put(ResultMetric.CONNECT_P50_MS, micros.getValueAtPercentile(50) / 1000.0)
        .put(ResultMetric.CONNECT_P99_MS, micros.getValueAtPercentile(99) / 1000.0)
        .put(ResultMetric.CONNECT_MAX_MS, micros.getMaxValue() / 1000.0);
  }

  /** Adds a figure that counts errors; a count above 0 is also reported as a fault. */
  Measurement faults(ResultMetric metric, long count) {
    if (count != 0) {
      faults.add("%,d %s: %s".formatted(count, metric.unit(), metric.label()));
    }
    return put(metric, count);
  }

  /** Adds a fault. */
  Measurement fault(String line) {
    faults.add(line);
    return this;
  }

  /** Returns a result with the figures and faults of this measurement as well. */
  RunResult addTo(RunResult result) {
    return result.with(figures).with(faults, List.of());
  }

  Map<ResultMetric, Double> figures() {
    return figures;
  }

  List<String> faultLines() {
    return faults;
  }

  RunResult result(String column) {
    return new RunResult(column, figures, List.of(), new TreeMap<>(), faults, List.of());
  }
}
