package io.fjordmq.perf.report;

import io.fjordmq.perf.load.Figure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares two reports, for a terminal: first the differences in the settings, then the figures.
 */
public final class Comparison {
  /** Differences below this are noise on most hosts. */
  private static final double NOISE = 0.05;

  private Comparison() {}

  /**
   * @throws IOException if a file is not a report of this tool
   */
  public static String of(Path one, Path other) throws IOException {
    ReportFile a = ReportFile.read(one);
    ReportFile b = ReportFile.read(other);
    StringBuilder out = new StringBuilder();
    out.append("A  " + one + "\n   " + a.text("startedAt") + "  " + a.text("summary") + "\n");
    out.append("B  " + other + "\n   " + b.text("startedAt") + "  " + b.text("summary") + "\n");
    List<String> differences = differences(a, b);
    out.append(differences.isEmpty() ? "" : "\nDifferences:\n");
    differences.forEach(difference -> out.append("  " + difference + "\n"));
    Set<String> shared = new LinkedHashSet<>(a.brokers());
    shared.retainAll(b.brokers());
    if (shared.isEmpty()) {
      // One broker each, with different names, can still be compared.
      table(out, a, a.brokers().get(0), b, b.brokers().get(0));
    }
    for (String broker : shared) {
      table(out, a, broker, b, broker);
    }
    return out.toString();
  }

  private static void table(
      StringBuilder out, ReportFile a, String one, ReportFile b, String other) {
    out.append("\n" + one + (one.equals(other) ? "" : " compared with " + other));
    int most = Math.max(a.runs(one), b.runs(other));
    out.append(most > 1 ? "; medians of all runs, sums of faults\n" : "\n");
    if (a.runs(one) != b.runs(other)) {
      out.append("A has " + a.runs(one) + " runs, B has " + b.runs(other) + "\n");
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("", "", "A", "B", "B : A", ""));
    for (Figure figure : Figure.values()) {
      OptionalDouble before = a.figure(one, figure);
      OptionalDouble after = b.figure(other, figure);
      if (before.isPresent() || after.isPresent()) {
        rows.add(
            List.of(
                figure.label(),
                figure.unit(),
                before.isPresent() ? figure.text(before.getAsDouble()) : "–",
                after.isPresent() ? figure.text(after.getAsDouble()) : "–",
                ratio(figure, after, before),
                verdict(figure, before, after)));
      }
    }
    out.append(TerminalTable.aligned(rows));
    a.faults(one).forEach(fault -> out.append("FAULT in A: " + fault + "\n"));
    b.faults(other).forEach(fault -> out.append("FAULT in B: " + fault + "\n"));
  }

  /** The ratio of two values; empty where it is meaningless. */
  static String ratio(Figure figure, OptionalDouble one, OptionalDouble other) {
    if (figure.better() == Figure.Better.NEITHER || one.isEmpty() || other.isEmpty()) {
      return "";
    }
    double divisor = other.getAsDouble();
    return divisor > 0 ? String.format(Locale.ROOT, "%.2f", one.getAsDouble() / divisor) : "";
  }

  private static String verdict(Figure figure, OptionalDouble a, OptionalDouble b) {
    if (figure.better() == Figure.Better.NEITHER || a.isEmpty() || b.isEmpty()) {
      return "";
    }
    double before = a.getAsDouble();
    double after = b.getAsDouble();
    double noise = figure.isFault() ? 0 : NOISE; // a single additional fault matters
    if (Math.abs(after - before) <= noise * Math.max(Math.abs(before), Math.abs(after))) {
      return "";
    }
    return after < before == (figure.better() == Figure.Better.LOWER) ? "better" : "worse";
  }

  private static List<String> differences(ReportFile a, ReportFile b) {
    List<String> differences = new ArrayList<>();
    for (String key : List.of("scenario", "summary", "warmSeconds", "seconds")) {
      difference(differences, key, a.value(key), b.value(key));
    }
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
