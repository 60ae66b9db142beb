package io.fjordmq.perf.report;

import io.fjordmq.perf.load.Figure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/** Two reports next to each other, for a terminal: what differs in the work, then the figures. */
public final class Comparison {
  /** A difference below this is the noise of most machines. */
  private static final double NOISE = 0.05;

  private Comparison() {}

  /**
   * @throws IOException if a file is no report of this tool
   */
  public static String of(Path one, Path other) throws IOException {
    Map<?, ?> a = read(one);
    Map<?, ?> b = read(other);
    StringBuilder out = new StringBuilder();
    out.append("A  " + one + "\n   " + text(a, "startedAt") + "  " + text(a, "summary") + "\n");
    out.append("B  " + other + "\n   " + text(b, "startedAt") + "  " + text(b, "summary") + "\n");
    List<String> differences = differences(a, b);
    out.append(differences.isEmpty() ? "" : "\nNot the same in both:\n");
    differences.forEach(difference -> out.append("  " + difference + "\n"));
    Map<?, ?> first = map(a, "medians");
    Map<?, ?> second = map(b, "medians");
    Set<Object> shared = new LinkedHashSet<>(first.keySet());
    shared.retainAll(second.keySet());
    if (shared.isEmpty()) {
      // One broker each, under different names: still a comparison.
      table(
          out, first.keySet().iterator().next(), first, second.keySet().iterator().next(), second);
    }
    for (Object broker : shared) {
      table(out, broker, first, broker, second);
    }
    return out.toString();
  }

  private static void table(
      StringBuilder out, Object one, Map<?, ?> first, Object other, Map<?, ?> second) {
    out.append("\n" + one + (one.equals(other) ? "" : " against " + other) + ", medians\n");
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("", "", "A", "B", "B : A", ""));
    for (Figure figure : Figure.values()) {
      OptionalDouble a = figure(map(first, String.valueOf(one)), figure);
      OptionalDouble b = figure(map(second, String.valueOf(other)), figure);
      if (a.isPresent() || b.isPresent()) {
        rows.add(
            List.of(
                figure.label(),
                figure.unit(),
                a.isPresent() ? figure.text(a.getAsDouble()) : "–",
                b.isPresent() ? figure.text(b.getAsDouble()) : "–",
                ratio(figure, b, a),
                verdict(figure, a, b)));
      }
    }
    out.append(TerminalTable.aligned(rows));
  }

  /** The one as a multiple of the other; empty where that says nothing. */
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
    if (Math.abs(after - before) <= NOISE * Math.max(Math.abs(before), Math.abs(after))) {
      return "";
    }
    return after < before == (figure.better() == Figure.Better.LOWER) ? "better" : "worse";
  }

  private static List<String> differences(Map<?, ?> a, Map<?, ?> b) {
    List<String> differences = new ArrayList<>();
    for (String key : List.of("scenario", "summary", "warmSeconds", "seconds")) {
      difference(differences, key, a.get(key), b.get(key));
    }
    Map<?, ?> facts = map(a, "facts");
    Map<?, ?> others = map(b, "facts");
    Set<Object> names = new LinkedHashSet<>(facts.keySet());
    names.addAll(others.keySet());
    for (Object name : names) {
      difference(differences, String.valueOf(name), facts.get(name), others.get(name));
    }
    return differences;
  }

  private static void difference(
      List<String> differences, String name, @Nullable Object a, @Nullable Object b) {
    if (!Objects.equals(a, b)) {
      differences.add(name + ": " + (a == null ? "–" : a) + " | " + (b == null ? "–" : b));
    }
  }

  private static OptionalDouble figure(Map<?, ?> figures, Figure figure) {
    return figures.get(ReportJson.key(figure)) instanceof Number number
        ? OptionalDouble.of(number.doubleValue())
        : OptionalDouble.empty();
  }

  private static Map<?, ?> read(Path file) throws IOException {
    try {
      // JSON as this tool writes it is YAML as well.
      LoaderOptions options = new LoaderOptions();
      options.setCodePointLimit(Integer.MAX_VALUE);
      Object content = new Yaml(new SafeConstructor(options)).load(Files.readString(file));
      if (content instanceof Map<?, ?> map
          && map.get("medians") instanceof Map<?, ?> medians
          && !medians.isEmpty()) {
        if (Objects.equals(map.get("format"), ReportJson.FORMAT)) {
          return map;
        }
        throw new IOException(
            file + " has format " + map.get("format") + ", this tool reads " + ReportJson.FORMAT);
      }
    } catch (YAMLException e) {
      throw new IOException(file + " is no JSON: " + e.getMessage(), e);
    }
    throw new IOException(file + " is no report of this tool: give the .json of two runs");
  }

  private static Map<?, ?> map(Map<?, ?> from, String key) {
    return from.get(key) instanceof Map<?, ?> map ? map : Map.of();
  }

  private static String text(Map<?, ?> from, String key) {
    return String.valueOf(from.get(key));
  }
}
