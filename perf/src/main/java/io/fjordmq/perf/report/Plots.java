package io.fjordmq.perf.report;

import io.fjordmq.perf.load.Figure;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.load.RunResult.Percentile;
import io.fjordmq.perf.load.Sample;
import io.fjordmq.perf.load.Series;
import io.fjordmq.perf.report.Plot.Band;
import io.fjordmq.perf.report.Plot.Line;
import io.fjordmq.perf.report.Plot.Mark;
import io.fjordmq.perf.report.Plot.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** The pictures of a report: of each broker its typical run. */
final class Plots {
  /** Latencies that differ by more than this are drawn on a logarithmic scale. */
  private static final double WIDE = 20;

  private static final double[] PERCENTS = {0, 50, 90, 99, 99.9, 99.99, 99.999};

  private final List<RunResult> runs;

  Plots(Report report) {
    this.runs = report.brokers().stream().map(report::typical).toList();
  }

  /** As HTML; those there is nothing to draw in are left out. */
  List<String> html() {
    List<Optional<Plot>> plots =
        List.of(
            overTime("Messages", "msg/s", false, List.of(Series.SENT, Series.RECEIVED)),
            overTime(
                "Latency, publish to delivery",
                "ms",
                true,
                List.of(Series.MEAN_MS, Series.P99_MS, Series.MAX_MS)),
            percentiles(),
            overTime(
                "Latency, publish to PUBACK",
                "ms",
                true,
                List.of(Series.ACK_MEAN_MS, Series.ACK_P99_MS)),
            overTime("Connected clients", "", false, List.of(Series.CONNECTED)),
            overTime(
                "Latency, CONNECT to CONNACK",
                "ms",
                true,
                List.of(Series.CONNECT_MEAN_MS, Series.CONNECT_P99_MS, Series.CONNECT_MAX_MS)),
            overTime(
                "CPU",
                "% of the machine",
                false,
                List.of(Series.CPU_PERCENT, Series.TOOL_CPU_PERCENT)),
            overTime("Memory of the broker", "MB", false, List.of(Series.MEMORY_MB)),
            overTime(
                "Ranges and who leads them",
                "",
                false,
                List.of(Series.RANGES, Series.LED_BY_1, Series.LED_BY_2, Series.LED_BY_3)));
    return plots.stream().flatMap(Optional::stream).map(Plot::html).toList();
  }

  private Optional<Plot> overTime(
      String title, String unit, boolean mayBeWide, List<Series> wanted) {
    List<Line> lines = new ArrayList<>();
    for (int run = 0; run < runs.size(); run++) {
      for (int i = 0; i < wanted.size(); i++) {
        Series series = wanted.get(i);
        List<Point> points = points(runs.get(run), series);
        if (!points.isEmpty()) {
          lines.add(line(run, i, series.label(), points));
        }
      }
    }
    if (lines.isEmpty()) {
      return Optional.empty();
    }
    double begin = runs.stream().mapToDouble(run -> -zero(run)).min().orElse(0);
    double end = runs.stream().mapToDouble(Plots::end).max().orElse(1);
    Axis across = Axis.between(begin, end);
    List<Mark> marks =
        across.marks().stream().map(at -> new Mark(at, Axis.text(at) + " s")).toList();
    return Optional.of(
        new Plot(title, unit, across, marks, scale(lines, mayBeWide), lines, bands(runs.get(0))));
  }

  /** One broker: a colour for each series. Several: a colour for each broker. */
  private Line line(int run, int series, String label, List<Point> points) {
    boolean alone = runs.size() == 1;
    String broker = runs.get(run).broker();
    String name = label.equals("broker") ? broker : alone ? label : broker + " " + label;
    return new Line(name, alone ? series : run, alone ? 0 : series, points);
  }

  private static List<Point> points(RunResult run, Series series) {
    List<Point> points = new ArrayList<>();
    double zero = zero(run);
    for (Sample sample : run.samples()) {
      OptionalDouble value = sample.value(series);
      if (value.isPresent()) {
        points.add(new Point(sample.second() - zero, value.getAsDouble()));
      }
    }
    return points;
  }

  /**
   * The second that is drawn as 0: brokers let clients in at different speeds, and their load is to
   * stand one below the other. A run that only connects begins at its beginning.
   */
  private static double zero(RunResult run) {
    if (!run.figures().containsKey(Figure.SENT)) {
      return 0;
    }
    return run.samples().stream()
        .filter(sample -> sample.phase() == Sample.Phase.CONNECT)
        .mapToDouble(Sample::second)
        .max()
        .orElse(0);
  }

  private static double end(RunResult run) {
    List<Sample> samples = run.samples();
    return samples.isEmpty() ? 1 : samples.get(samples.size() - 1).second() - zero(run);
  }

  private static Axis scale(List<Line> lines, boolean mayBeWide) {
    double[] values =
        lines.stream()
            .flatMap(line -> line.points().stream())
            .mapToDouble(Point::y)
            .filter(value -> value > 0)
            .sorted()
            .toArray();
    if (values.length == 0) {
      return Axis.fromZero(1);
    }
    double highest = values[values.length - 1];
    return mayBeWide && highest > WIDE * values[0]
        ? Axis.logarithmic(values[0], highest)
        : Axis.fromZero(highest);
  }

  /** The phases of the first run; those of the others are as long but for connecting. */
  private static List<Band> bands(RunResult run) {
    List<Band> bands = new ArrayList<>();
    double zero = zero(run);
    double from = -zero;
    double to = from;
    Sample.Phase phase = null;
    for (Sample sample : run.samples()) {
      if (phase != null && sample.phase() != phase) {
        bands.add(new Band(from, to, phase));
        from = to;
      }
      phase = sample.phase();
      to = sample.second() - zero;
    }
    if (phase != null) {
      bands.add(new Band(from, to, phase));
    }
    return bands;
  }

  private Optional<Plot> percentiles() {
    List<Line> lines = new ArrayList<>();
    for (int run = 0; run < runs.size(); run++) {
      List<Point> points = new ArrayList<>();
      for (Percentile percentile : runs.get(run).latencies()) {
        points.add(new Point(place(percentile.percent()), percentile.millis()));
      }
      if (!points.isEmpty()) {
        lines.add(new Line(runs.get(run).broker(), run, 0, points));
      }
    }
    if (lines.isEmpty()) {
      return Optional.empty();
    }
    List<Mark> marks = new ArrayList<>();
    for (double percent : PERCENTS) {
      String text = String.format(Locale.ROOT, "%s %%", Axis.text(percent));
      marks.add(new Mark(place(percent), percent > 99.9 ? percent + " %" : text));
    }
    return Optional.of(
        new Plot(
            "Latency by percentile",
            "ms",
            Axis.between(0, place(100)),
            marks,
            scale(lines, true),
            lines,
            List.of()));
  }

  /** Each nine takes as much room as the one before; the last one is where it ends. */
  private static double place(double percent) {
    return percent >= 100 ? 5.2 : -Math.log10(1 - percent / 100);
  }
}
