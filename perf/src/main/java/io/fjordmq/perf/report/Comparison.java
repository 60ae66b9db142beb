package io.fjordmq.perf.report;

import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.ResultMetric.Direction;
import io.fjordmq.perf.load.RunResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Formats the comparison of two reports for a terminal: first the differences in the settings, then
 * the figures.
 */
public final class Comparison {
  /** Relative differences below this are noise on most hosts. */
  private static final double NOISE = 0.05;

  private Comparison() {}

  /**
   * Returns the comparison as text.
   *
   * @throws IOException if a file is not a report of this tool
   */
  public static String of(Path one, Path other) throws IOException {
    Report a = ReportJson.read(one);
    Report b = ReportJson.read(other);
    StringBuilder out = new StringBuilder();
    out.append("A  " + one + "\n   " + a.startedAt() + "  " + a.summary() + "\n");
    out.append("B  " + other + "\n   " + b.startedAt() + "  " + b.summary() + "\n");
    List<String> differences = differences(a, b);
    out.append(differences.isEmpty() ? "" : "\nDifferences:\n");
    differences.forEach(difference -> out.append("  " + difference + "\n"));
    Set<String> shared = new LinkedHashSet<>(a.brokers());
    shared.retainAll(b.brokers());
    if (shared.isEmpty()) {
      // Without a common broker, compare the first broker of each report.
      table(out, a, a.brokers().get(0), b, b.brokers().get(0));
    }
    for (String broker : shared) {
      table(out, a, broker, b, broker);
    }
    return out.toString();
  }

  private static void table(StringBuilder out, Report a, String one, Report b, String other) {
    out.append("\n" + one + (one.equals(other) ? "" : " compared with " + other));
    int runsOfA = a.runsOf(one).size();
    int runsOfB = b.runsOf(other).size();
    out.append(Math.max(runsOfA, runsOfB) > 1 ? "; medians of all runs, sums of faults\n" : "\n");
    if (runsOfA != runsOfB) {
      out.append("A has " + runsOfA + " runs, B has " + runsOfB + "\n");
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("", "", "A", "B", "B : A", ""));
    for (ResultMetric figure : ResultMetric.values()) {
      OptionalDouble before = a.aggregate(one, figure);
      OptionalDouble after = b.aggregate(other, figure);
      if (before.isPresent() || after.isPresent()) {
        rows.add(
            List.of(
                figure.label(),
                figure.unit(),
                figure.text(before),
                figure.text(after),
                ratio(figure, after, before),
                verdict(figure, before, after)));
      }
    }
    out.append(TerminalTable.aligned(rows));
    for (String fault : a.lines(one, RunResult::faults)) {
      out.append("FAULT in A: " + fault + "\n");
    }
    for (String fault : b.lines(other, RunResult::faults)) {
      out.append("FAULT in B: " + fault + "\n");
    }
  }

  /** Returns the ratio of two values; empty where it is meaningless. */
  private static String ratio(ResultMetric figure, OptionalDouble one, OptionalDouble other) {
    boolean has = figure.better() != Direction.NEITHER && one.isPresent() && other.orElse(0) > 0;
    return has ? "%.2f".formatted(one.getAsDouble() / other.getAsDouble()) : "";
  }

  private static String verdict(ResultMetric figure, OptionalDouble a, OptionalDouble b) {
    if (figure.better() == Direction.NEITHER || a.isEmpty() || b.isEmpty()) {
      return "";
    }
    double before = a.getAsDouble();
    double after = b.getAsDouble();
    double noise = figure.isFault() ? 0 : NOISE; // even one additional fault matters
    if (Math.abs(after - before) <= noise * Math.max(Math.abs(before), Math.abs(after))) {
      return "";
    }
    return after < before == (figure.better() == Direction.LOWER) ? "better" : "worse";
  }

  private static List<String> differences(Report a, Report b) {
    List<String> differences = new ArrayList<>();
    difference(differences, "scenario", a.scenario(), b.scenario());
    difference(differences, "summary", a.summary(), b.summary());
    difference(differences, "warmSeconds", a.warmSeconds(), b.warmSeconds());
    difference(differences, "seconds", a.seconds(), b.seconds());
    Set<String> names = new LinkedHashSet<>(a.facts().keySet());
    names.addAll(b.facts().keySet());
    for (String name : names) {
      difference(differences, name, a.facts().get(name), b.facts().get(name));
    }
    return differences;
  }

  private static void difference(
      List<String> differences, String name, @Nullable Object a, @Nullable Object b) {
    if (!Objects.equals(a, b)) {
      differences.add(name + ": " + (a == null ? "–" : a) + " | " + (b == null ? "–" : b));
    }
  }
}
