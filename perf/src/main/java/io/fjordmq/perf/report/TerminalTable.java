package io.fjordmq.perf.report;

import io.fjordmq.perf.load.ResultMetric;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The report for a terminal: one line per figure, one column per broker. */
public final class TerminalTable {
  private TerminalTable() {}

  public static String of(Report report) {
    List<String> brokers = report.brokers();
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("", ""));
    head.addAll(brokers);
    if (brokers.size() == 2) {
      head.add("ratio");
    }
    rows.add(head);
    for (ResultMetric figure : ResultMetric.values()) {
      List<OptionalDouble> values =
          brokers.stream().map(broker -> report.aggregate(broker, figure)).toList();
      if (values.stream().anyMatch(OptionalDouble::isPresent)) {
        rows.add(row(report, figure, values));
      }
    }
    return Stream.concat(
            report.runs().stream()
                .flatMap(run -> run.remarks().stream().map(line -> run.broker() + ": " + line)),
            report.runs().stream()
                .flatMap(
                    run ->
                        run.faults().stream()
                            .map(line -> "FAULT of " + run.broker() + ": " + line)))
        .distinct()
        .map(line -> line + "\n")
        .collect(Collectors.joining("", aligned(rows), ""));
  }

  private static List<String> row(Report report, ResultMetric figure, List<OptionalDouble> values) {
    List<String> row = new ArrayList<>(List.of(figure.label(), figure.unit()));
    values.forEach(value -> row.add(figure.text(value)));
    if (values.size() == 2) {
      row.add(report.ratio(report.brokers().get(0), report.brokers().get(1), figure));
    }
    return row;
  }

  /**
   * Formats rows as a table whose columns are as wide as needed. The first two are left-aligned,
   * the others right-aligned.
   */
  static String aligned(List<List<String>> rows) {
    int columns = rows.stream().mapToInt(List::size).max().orElse(0);
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining());
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      String gap = " ".repeat(widths[i] - row.get(i).length());
      out.append(i < 2 ? row.get(i) + gap : gap + row.get(i)).append("  ");
    }
    return out.toString().stripTrailing() + "\n";
  }
}
