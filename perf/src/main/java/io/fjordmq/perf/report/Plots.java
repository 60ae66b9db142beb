package io.fjordmq.perf.report;

import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.load.Sample;
import io.fjordmq.perf.load.Series;
import io.fjordmq.perf.report.Plot.Band;
import io.fjordmq.perf.report.Plot.Line;
import io.fjordmq.perf.report.Plot.Mark;
import io.fjordmq.perf.report.Plot.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** Creates the charts of a report. They show the median run of each broker. */
final class Plots {
  /** Latencies with a wider range than this are drawn on a logarithmic scale. */
  private static final double LOGARITHMIC_RATIO = 20;

  private static final double[] PERCENTS = {0, 50, 90, 99, 99.9, 99.99, 99.999};

  private final List<RunResult> runs;

  /** Whether clients only connect. */
  private final boolean holdOnly;

  Plots(Report report) {
    this.runs = report.brokers().stream().map(report::median).toList();
    this.holdOnly = report.isOfConnections();
  }

  /** Returns the charts as HTML; omits charts without data. */
  List<String> html() {
    List<Optional<Plot>> others =
        List.of(
            latencies("Latency, publish to delivery", Series.MEAN_MS, Series.P99_MS, Series.MAX_MS),
            percentiles(),
            latencies("Latency, publish to PUBACK", Series.ACK_MEAN_MS, Series.ACK_P99_MS),
            overTime("Connected clients", false, List.of(Series.CONNECTED)),
            latencies(
                "Latency, CONNECT to CONNACK",
                Series.CONNECT_MEAN_MS,
                Series.CONNECT_P99_MS,
                Series.CONNECT_MAX_MS),
            overTime("CPU", false, List.of(Series.CPU_PERCENT, Series.TOOL_CPU_PERCENT)),
            overTime("Memory of the broker", false, List.of(Series.MEMORY_MB)),
            overTime("Ranges and their leaders", false, leadershipSeries()));
    return Stream.concat(messages().stream(), others.stream().flatMap(Optional::stream))
        .map(Plot::html)
        .toList();
  }

  /**
   * Returns one chart per broker, because in a single chart, the lines of the brokers would hide
   * each other. The wide line of sent messages stays visible behind that of delivered messages. All
   * charts have the same axes.
   */
  private List<Plot> messages() {
    List<List<Line>> linesByRun = new ArrayList<>();
    for (RunResult run : runs) {
      List<Line> lines = new ArrayList<>();
      for (Series series : List.of(Series.SENT, Series.RECEIVED)) {
        List<Point> points = points(run, series);
        if (!points.isEmpty()) {
          boolean sent = series == Series.SENT;
          lines.add(new Line(series.label(), sent ? 0 : 1, 0, sent, points));
        }
      }
      linesByRun.add(lines);
    }
    Axis scale = scale(linesByRun.stream().flatMap(List::stream).toList(), false);
    List<Plot> plots = new ArrayList<>();
    for (int run = 0; run < runs.size(); run++) {
      if (!linesByRun.get(run).isEmpty()) {
        String title = runs.size() == 1 ? "Messages" : "Messages, " + runs.get(run).broker();
        plots.add(
            new Plot(
                title,
                "msg/s",
                seconds(),
                marks(seconds()),
                scale,
                linesByRun.get(run),
                bands(runs.get(run))));
      }
    }
    return plots;
  }

  /**
   * Returns the series of ranges and their leaders. A single node leads all ranges, so one line is
   * enough.
   */
  private List<Series> leadershipSeries() {
    boolean several = runs.stream().anyMatch(run -> !points(run, Series.LED_BY_2).isEmpty());
    return several
        ? List.of(Series.RANGES, Series.LED_BY_1, Series.LED_BY_2, Series.LED_BY_3)
        : List.of(Series.RANGES);
  }

  private Optional<Plot> latencies(String title, Series... wanted) {
    return overTime(title, true, List.of(wanted));
  }

  private Optional<Plot> overTime(String title, boolean mayBeLogarithmic, List<Series> wanted) {
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
    Axis scale = scale(lines, mayBeLogarithmic);
    String unit = wanted.get(0).unit();
    return Optional.of(
        new Plot(title, unit, seconds(), marks(seconds()), scale, lines, bands(runs.get(0))));
  }

  /** Returns the horizontal axis of all charts over time. */
  private Axis seconds() {
    double begin = runs.stream().mapToDouble(run -> -zero(run)).min().orElse(0);
    double end = runs.stream().mapToDouble(Plots::end).max().orElse(1);
    return Axis.between(begin, end);
  }

  private static List<Mark> marks(Axis seconds) {
    return seconds.marks().stream().map(at -> new Mark(at, Axis.text(at) + " s")).toList();
  }

  /**
   * Creates a line. A chart of one broker has one color per series; a chart of several brokers has
   * one color per broker.
   */
  private Line line(int run, int series, String label, List<Point> points) {
    boolean alone = runs.size() == 1;
    String broker = runs.get(run).broker();
    String name = label.equals("broker") ? broker : alone ? label : broker + " " + label;
    return new Line(name, alone ? series : run, alone ? 0 : series, false, points);
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
   * Returns the time of the run that is drawn as 0. Because brokers accept clients at different
   * rates, charts with load are aligned at the start of the load. The charts of a connection
   * scenario are aligned at the start of the run.
   */
  private static double zero(RunResult run) {
    if (!run.figures().containsKey(ResultMetric.SENT)) {
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

  private static Axis scale(List<Line> lines, boolean mayBeLogarithmic) {
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
    return mayBeLogarithmic && highest > LOGARITHMIC_RATIO * values[0]
        ? Axis.logarithmic(values[0], highest)
        : Axis.fromZero(highest);
  }

  /**
   * Returns the phases of a run. The charts show those of the first run; the phases of other runs
   * differ only in the time to connect.
   */
  private List<Band> bands(RunResult run) {
    List<Band> bands = new ArrayList<>();
    double zero = zero(run);
    double from = -zero;
    double to = from;
    Sample.Phase phase = null;
    for (Sample sample : run.samples()) {
      if (phase != null && sample.phase() != phase) {
        bands.add(new Band(from, to, phase, name(phase)));
        from = to;
      }
      phase = sample.phase();
      to = sample.second() - zero;
    }
    if (phase != null) {
      bands.add(new Band(from, to, phase, name(phase)));
    }
    return bands;
  }

  private String name(Sample.Phase phase) {
    return switch (phase) {
      case CONNECT -> "connecting";
      case WARM -> "warm-up";
      case COUNT -> holdOnly ? "held" : "counted";
      case DRAIN -> "end";
    };
  }

  private Optional<Plot> percentiles() {
    List<Line> lines = new ArrayList<>();
    for (int run = 0; run < runs.size(); run++) {
      List<Point> points = new ArrayList<>();
      runs.get(run)
          .latencies()
          .forEach((percent, millis) -> points.add(new Point(percentilePosition(percent), millis)));
      if (!points.isEmpty()) {
        lines.add(new Line(runs.get(run).broker(), run, 0, false, points));
      }
    }
    if (lines.isEmpty()) {
      return Optional.empty();
    }
    List<Mark> marks = new ArrayList<>();
    for (double percent : PERCENTS) {
      String text = "%s %%".formatted(Axis.text(percent));
      marks.add(new Mark(percentilePosition(percent), percent > 99.9 ? percent + " %" : text));
    }
    return Optional.of(
        new Plot(
            "Latency by percentile",
            "ms",
            Axis.between(0, percentilePosition(100)),
            marks,
            scale(lines, true),
            lines,
            List.of()));
  }

  /**
   * Returns the position of a percentile on the axis. Each additional nine has the same width; the
   * axis ends at the last one.
   */
  private static double percentilePosition(double percent) {
    return percent >= 100 ? 5.2 : -Math.log10(1 - percent / 100);
  }
}
