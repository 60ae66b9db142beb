package io.fjordmq.broker.ops;

import io.fjordmq.broker.http.MetricsFormat;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of all time series of a node with their labels, and the values of the labels.
 * Prometheus adds {@code job} and {@code instance} to all of them.
 */
final class ExportedSeries {
  private static final Pattern SAMPLE = Pattern.compile("([a-z_0-9]+)(?:\\{(.*)})? \\S+");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");

  /** Micrometer creates these with the first garbage collection. */
  private static final Map<String, Set<String>> GARBAGE_COLLECTION =
      Map.of(
          "jvm_gc_pause_seconds_count", Set.of("action", "cause", "gc"),
          "jvm_gc_pause_seconds_sum", Set.of("action", "cause", "gc"),
          "jvm_gc_pause_seconds_max", Set.of("action", "cause", "gc"));

  private final Map<String, Set<String>> labels = new HashMap<>(GARBAGE_COLLECTION);
  private final Map<String, Set<String>> values = new HashMap<>();

  private ExportedSeries() {}

  /** Reads the metrics page of a node that has just started. */
  static ExportedSeries read() {
    ExportedSeries series = new ExportedSeries();
    series.labels.put("up", Set.of());
    for (Metric metric : Metric.all()) {
      Set<String> names =
          metric.labels().isEmpty() ? Set.of() : Set.of(metric.labels().split(", "));
      suffixes(metric).forEach(suffix -> series.add(metric.exposedName() + suffix, names));
    }
    try (BrokerMetrics metrics = new BrokerMetrics("1.2.3")) {
      metrics.scrape(MetricsFormat.PROMETHEUS).lines().forEach(series::readLine);
    }
    return series;
  }

  private static List<String> suffixes(Metric metric) {
    return metric.kind() == Metric.Kind.TIMER
        ? List.of("_bucket", "_count", "_sum", "_max")
        : List.of("");
  }

  private void readLine(String line) {
    Matcher sample = SAMPLE.matcher(line);
    if (!line.startsWith("#") && sample.matches()) {
      Set<String> names = new HashSet<>();
      Matcher label = LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
      while (label.find()) {
        names.add(label.group(1));
        values
            .computeIfAbsent(sample.group(1) + "/" + label.group(1), any -> new HashSet<>())
            .add(label.group(2));
      }
      add(sample.group(1), names);
    }
  }

  private void add(String name, Set<String> names) {
    Set<String> all = new HashSet<>(labels.getOrDefault(name, Set.of()));
    all.addAll(names);
    labels.put(name, all);
  }

  Set<String> names() {
    return labels.keySet();
  }

  /** The labels of a time series, with those that Prometheus adds. */
  Set<String> labels(String name) {
    Set<String> all = new HashSet<>(labels.getOrDefault(name, Set.of()));
    all.addAll(Set.of("job", "instance"));
    return all;
  }

  /** The values that exist from the start; empty if they are known only at run time. */
  Set<String> values(String name, String label) {
    return values.getOrDefault(name + "/" + label, Set.of());
  }
}
