package io.fjordmq.perf.report;

import io.fjordmq.perf.load.Figure;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.load.RunResult.Percentile;
import io.fjordmq.perf.load.Sample;
import io.fjordmq.perf.load.Series;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report for programs. {@code format} changes when readers have to change. */
public final class ReportJson {
  static final int FORMAT = 2;

  private ReportJson() {}

  public static String write(Report report) {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("format", FORMAT);
    root.put("scenario", report.scenario());
    root.put("summary", report.summary());
    root.put("published", report.published());
    root.put("flow", report.flow().name().toLowerCase(Locale.ROOT));
    root.put("command", report.command());
    root.put("startedAt", report.startedAt());
    root.put("facts", report.facts());
    root.put("notes", report.notes());
    root.put("warmSeconds", report.warmSeconds());
    root.put("seconds", report.seconds());
    root.put("flawless", report.hasNoFaults());
    root.put("medians", overall(report, false));
    root.put("sums", overall(report, true));
    root.put("runs", report.runs().stream().map(ReportJson::run).toList());
    return JsonFormatter.write(root);
  }

  /** Over the runs of each broker, either the faults or the other figures. */
  private static Map<String, Object> overall(Report report, boolean faults) {
    Map<String, Object> brokers = new LinkedHashMap<>();
    for (String broker : report.brokers()) {
      Map<String, Object> figures = new LinkedHashMap<>();
      for (Figure figure : Figure.values()) {
        if (figure.isFault() == faults) {
          report.overall(broker, figure).ifPresent(value -> figures.put(key(figure), value));
        }
      }
      brokers.put(broker, figures);
    }
    return brokers;
  }

  private static Map<String, Object> run(RunResult run) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("broker", run.broker());
    Map<String, Object> figures = new LinkedHashMap<>();
    for (Figure figure : Figure.values()) {
      Double value = run.figures().get(figure);
      if (value != null) {
        figures.put(key(figure), value);
      }
    }
    map.put("figures", figures);
    map.put("faults", run.faults());
    map.put("remarks", run.remarks());
    Map<String, Object> latencies = new LinkedHashMap<>();
    for (Percentile percentile : run.latencies()) {
      latencies.put(String.valueOf(percentile.percent()), percentile.millis());
    }
    map.put("latencyMillisByPercent", latencies);
    map.put("samples", run.samples().stream().map(ReportJson::sample).toList());
    return map;
  }

  private static Map<String, Object> sample(Sample sample) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("second", sample.second());
    map.put("phase", sample.phase().name().toLowerCase(Locale.ROOT));
    for (Series series : Series.values()) {
      sample.value(series).ifPresent(value -> map.put(camel(series.name()), value));
    }
    return map;
  }

  static String key(Figure figure) {
    return camel(figure.name());
  }

  /** Converts LIKE_THIS to likeThis. */
  private static String camel(String name) {
    StringBuilder out = new StringBuilder();
    for (String word : List.of(name.split("_", -1))) {
      out.append(out.isEmpty() ? word.charAt(0) + "" : word.substring(0, 1));
      out.append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return out.substring(0, 1).toLowerCase(Locale.ROOT) + out.substring(1);
  }
}
