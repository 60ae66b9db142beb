package io.fjordmq.perf.report;

import io.fjordmq.perf.load.Figure;
import io.fjordmq.perf.load.RunResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** The report for people: a single self-contained page. */
public final class HtmlReport {
  private static final List<Figure> FIRST_SIGHT =
      List.of(
          Figure.RECEIVED,
          Figure.MEAN_MS,
          Figure.P99_MS,
          Figure.MAX_MS,
          Figure.CPU_MICROS,
          Figure.CPU_PERCENT,
          Figure.MEMORY_MB,
          Figure.CONNECTED,
          Figure.CONNECTS,
          Figure.CONNECT_CPU_PERCENT,
          Figure.CONNECT_MEAN_MS,
          Figure.CONNECT_P99_MS,
          Figure.CONNECTION_KB);

  /** Shown in addition to the faults that occurred. */
  private static final Set<Figure> OF_EACH_RUN =
      EnumSet.of(
          Figure.SENT,
          Figure.RECEIVED,
          Figure.MEAN_MS,
          Figure.P99_MS,
          Figure.CPU_MICROS,
          Figure.MEMORY_MB,
          Figure.CONNECTS,
          Figure.CONNECT_CPU_PERCENT,
          Figure.CONNECT_P99_MS,
          Figure.LOST,
          Figure.TOOL_LATE_MS);

  private static final int MOST_CARDS = 8;

  private final Report report;
  private final StringBuilder out = new StringBuilder();

  private HtmlReport(Report report) {
    this.report = report;
  }

  public static String write(Report report) {
    return new HtmlReport(report).page();
  }

  private String page() {
    out.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    out.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.append("<title>" + Html.text(report.scenario()) + "</title>\n");
    out.append("<style>\n" + resource("report.css") + "</style></head><body><main>\n");
    head();
    report.brokers().forEach(this::cards);
    verdict();
    out.append("<section class=\"plots\">\n");
    new Plots(report).html().forEach(out::append);
    out.append("</section>\n");
    figures();
    if (report.runs().size() > report.brokers().size()) {
      runs();
    }
    facts();
    out.append("</main><script>\n" + resource("report.js") + "</script></body></html>\n");
    return out.toString();
  }

  private void head() {
    boolean flawless = report.hasNoFaults();
    out.append("<header><h1>" + Html.text(report.scenario()) + "</h1>\n");
    out.append(
        "<span class=\"badge " + (flawless ? "good\">" + verdictText() : "bad\">with faults"));
    out.append("</span>\n<p class=\"summary\">" + Html.text(report.summary()) + "</p>\n");
    out.append("<p class=\"when\">" + Html.text(report.startedAt()));
    out.append(", " + times());
    int each = report.runs().size() / Math.max(1, report.brokers().size());
    out.append(each > 1 ? ", medians of " + each + " runs, sums of faults" : "");
    out.append("</p></header>\n");
  }

  /** The verdict of a run without faults. */
  private String verdictText() {
    if (report.isOfConnections()) {
      return "no client refused or disconnected";
    }
    boolean sent =
        report.runs().stream().anyMatch(run -> run.figures().getOrDefault(Figure.SENT, 0.0) > 0);
    return sent ? "nothing lost, duplicated or out of order" : "no messages were sent";
  }

  private String times() {
    if (report.isOfConnections()) {
      return "held for " + report.seconds() + " s after the last client connected";
    }
    int warm = report.warmSeconds();
    return report.seconds()
        + " s measured"
        + (warm == 0 ? " without a warm-up" : " after " + warm + " s of warm-up");
  }

  private void cards(String broker) {
    List<Figure> shown =
        FIRST_SIGHT.stream()
            .filter(figure -> report.overall(broker, figure).isPresent())
            .limit(MOST_CARDS)
            .toList();
    int colour = report.brokers().size() == 1 ? 0 : report.brokers().indexOf(broker);
    out.append(
        "<section class=\"cards\"><h2 class=\"b" + colour + "\">" + Html.text(broker) + "</h2>");
    for (Figure figure : shown) {
      out.append(
          "<div class=\"card\"><span>%s</span><b>%s</b><i>%s</i></div>"
              .formatted(
                  Html.text(figure.label()),
                  text(figure, report.overall(broker, figure)),
                  Html.text(figure.unit())));
    }
    out.append("</section>\n");
  }

  private void verdict() {
    for (String broker : report.brokers()) {
      list("fault", broker, lines(broker, RunResult::faults));
      list("remark", broker, lines(broker, RunResult::remarks));
    }
    list("remark", "This run", report.notes());
  }

  private List<String> lines(String broker, Function<RunResult, List<String>> of) {
    return report.runsOf(broker).stream()
        .flatMap(run -> of.apply(run).stream())
        .distinct()
        .toList();
  }

  private void list(String kind, String of, List<String> lines) {
    if (!lines.isEmpty()) {
      out.append("<div class=\"" + kind + "\"><b>" + Html.text(of) + "</b><ul>");
      lines.forEach(line -> out.append("<li>" + Html.text(line) + "</li>"));
      out.append("</ul></div>\n");
    }
  }

  private void figures() {
    out.append("<h2>Figures</h2><div class=\"wide\"><table><tr><th></th>");
    report
        .brokers()
        .forEach(broker -> out.append("<th class=\"n\">" + Html.text(broker) + "</th>"));
    boolean two = report.brokers().size() == 2;
    out.append(two ? "<th class=\"n\">ratio</th>" : "");
    out.append("<th></th><th></th></tr>\n");
    for (Figure figure : Figure.values()) {
      List<OptionalDouble> values =
          report.brokers().stream().map(broker -> report.overall(broker, figure)).toList();
      if (values.stream().noneMatch(OptionalDouble::isPresent)) {
        continue;
      }
      out.append("<tr><td>" + Html.text(figure.label()) + "</td>");
      values.forEach(value -> out.append("<td class=\"n\">" + text(figure, value) + "</td>"));
      if (two) {
        String ratio = Comparison.ratio(figure, values.get(0), values.get(1));
        out.append("<td class=\"n\">" + ratio + "</td>");
      }
      out.append("<td class=\"unit\">" + Html.text(figure.unit()) + "</td>");
      out.append("<td class=\"unit\">" + Html.text(figure.meaning()) + "</td></tr>\n");
    }
    out.append("</table></div>\n");
  }

  private void runs() {
    List<Figure> columns =
        Stream.of(Figure.values())
            .filter(figure -> OF_EACH_RUN.contains(figure) || isFaultOfSomeRun(figure))
            .filter(
                figure -> report.runs().stream().anyMatch(run -> run.figures().containsKey(figure)))
            .toList();
    out.append("<h2>Single runs</h2><div class=\"wide\"><table><tr><th></th>");
    columns.forEach(figure -> out.append("<th class=\"n\">" + Html.text(figure.label()) + "</th>"));
    out.append("</tr>\n");
    for (RunResult run : report.runs()) {
      out.append("<tr><td>" + Html.text(run.broker()) + "</td>");
      for (Figure figure : columns) {
        Double value = run.figures().get(figure);
        out.append("<td class=\"n\">" + (value == null ? "–" : figure.text(value)) + "</td>");
      }
      out.append("</tr>\n");
    }
    out.append("</table></div>\n");
  }

  private boolean isFaultOfSomeRun(Figure figure) {
    return figure.isFault()
        && report.runs().stream().anyMatch(run -> run.figures().getOrDefault(figure, 0.0) > 0);
  }

  private void facts() {
    out.append("<h2>Environment</h2><div class=\"wide\"><table class=\"facts\">\n");
    fact("command", report.command());
    if (!report.published().isEmpty()) {
      fact("published by others", report.published());
    }
    report.facts().forEach(this::fact);
    out.append("</table></div>\n");
  }

  private void fact(String name, String value) {
    out.append(
        "<tr><td>"
            + Html.text(name)
            + "</td><td><code>"
            + Html.text(value)
            + "</code></td></tr>\n");
  }

  private static String text(Figure figure, OptionalDouble value) {
    return value.isPresent() ? figure.text(value.getAsDouble()) : "–";
  }

  private static String resource(String name) {
    try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
