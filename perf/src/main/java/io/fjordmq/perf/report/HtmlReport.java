package io.fjordmq.perf.report;

import io.fjordmq.perf.Resources;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/** The report as a single self-contained HTML page. */
public final class HtmlReport {
  private static final List<ResultMetric> CARD_METRICS =
      List.of(
          ResultMetric.RECONNECTED_SECONDS,
          ResultMetric.SERVED_SECONDS,
          ResultMetric.THROUGHPUT,
          ResultMetric.SUSTAINED,
          ResultMetric.IDLE_CPU_MS,
          ResultMetric.COLLECTED_MB,
          ResultMetric.HEAP_MB,
          ResultMetric.RECEIVED,
          ResultMetric.MEAN_MS,
          ResultMetric.P99_MS,
          ResultMetric.MAX_MS,
          ResultMetric.CPU_MICROS,
          ResultMetric.CPU_PERCENT,
          ResultMetric.MEMORY_MB,
          ResultMetric.CONNECTED,
          ResultMetric.CONNECTS,
          ResultMetric.CONNECT_CPU_PERCENT,
          ResultMetric.CONNECT_MEAN_MS,
          ResultMetric.CONNECT_P99_MS,
          ResultMetric.CONNECTION_KB,
          ResultMetric.START_SECONDS);

  /**
   * The columns of the table of individual runs of a load scenario. Faults that occurred are added.
   */
  private static final Set<ResultMetric> RUN_COLUMNS =
      EnumSet.of(
          ResultMetric.SENT,
          ResultMetric.RECEIVED,
          ResultMetric.MEAN_MS,
          ResultMetric.P99_MS,
          ResultMetric.CPU_MICROS,
          ResultMetric.MEMORY_MB,
          ResultMetric.CONNECTS,
          ResultMetric.CONNECT_CPU_PERCENT,
          ResultMetric.CONNECT_P99_MS,
          ResultMetric.LOST,
          ResultMetric.TOOL_LATE_MS);

  private static final int MAX_CARDS = 8;

  private final Report report;
  private final StringBuilder out = new StringBuilder();

  private HtmlReport(Report report) {
    this.report = report;
  }

  public static String write(Report report) {
    return new HtmlReport(report).page();
  }

  private String page() {
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
    return """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>%s</title>
    <style>
    %s</style></head><body><main>
    %s</main><script>
    %s</script></body></html>
    """
        .formatted(
            Html.text(report.scenario()),
            Resources.text(HtmlReport.class, "report.css"),
            out,
            Resources.text(HtmlReport.class, "report.js"));
  }

  private void head() {
    boolean flawless = report.hasNoFaults();
    int each = report.runs().size() / Math.max(1, report.brokers().size());
    out.append(
        """
        <header><h1>%s</h1>
        <span class="badge %s">%s</span>
        <p class="summary">%s</p>
        <p class="when">%s, %s%s</p></header>
        """
            .formatted(
                Html.text(report.scenario()),
                flawless ? "good" : "bad",
                flawless ? verdictText() : "with faults",
                Html.text(report.summary()),
                Html.text(report.startedAt()),
                times(),
                each > 1 ? ", medians of " + each + " runs, sums of faults" : ""));
  }

  /** Returns the verdict for a report without faults. */
  private String verdictText() {
    if (report.isOfConnections()) {
      return "no client refused or disconnected";
    }
    if (report.flow().isEmpty()) {
      return "no faults";
    }
    boolean sent = report.runs().stream().anyMatch(run -> run.figure(ResultMetric.SENT) > 0);
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
    List<ResultMetric> shown =
        CARD_METRICS.stream()
            .filter(figure -> report.aggregate(broker, figure).isPresent())
            .limit(MAX_CARDS)
            .toList();
    int color = report.brokers().size() == 1 ? 0 : report.brokers().indexOf(broker);
    out.append(
        "<section class=\"cards\"><h2 class=\"b" + color + "\">" + Html.text(broker) + "</h2>");
    for (ResultMetric figure : shown) {
      out.append(
          "<div class=\"card\"><span>%s</span><b>%s</b><i>%s</i></div>"
              .formatted(
                  Html.text(figure.label()),
                  figure.text(report.aggregate(broker, figure)),
                  Html.text(figure.unit())));
    }
    out.append("</section>\n");
  }

  private void verdict() {
    for (String broker : report.brokers()) {
      list("fault", broker, report.lines(broker, RunResult::faults));
      list("remark", broker, report.lines(broker, RunResult::remarks));
    }
    list("remark", "This run", report.notes());
  }

  private void list(String kind, String of, List<String> lines) {
    if (!lines.isEmpty()) {
      out.append("<div class=\"" + kind + "\"><b>" + Html.text(of) + "</b><ul>");
      lines.forEach(line -> out.append("<li>" + Html.text(line) + "</li>"));
      out.append("</ul></div>\n");
    }
  }

  private void figures() {
    List<String> brokers = report.brokers();
    boolean two = brokers.size() == 2;
    out.append("<h2>Figures</h2><div class=\"wide\"><table><tr><th></th>");
    brokers.forEach(broker -> out.append(cell("th", "n", broker)));
    out.append(two ? cell("th", "n", "ratio") : "").append("<th></th><th></th></tr>\n");
    for (ResultMetric figure : ResultMetric.values()) {
      List<OptionalDouble> values =
          brokers.stream().map(broker -> report.aggregate(broker, figure)).toList();
      if (values.stream().anyMatch(OptionalDouble::isPresent)) {
        out.append("<tr><td>" + Html.text(figure.label()) + "</td>");
        values.forEach(value -> out.append(cell("td", "n", figure.text(value))));
        out.append(
            two ? cell("td", "n", report.ratio(brokers.get(0), brokers.get(1), figure)) : "");
        out.append(cell("td", "unit", figure.unit()) + cell("td", "unit", figure.meaning()));
        out.append("</tr>\n");
      }
    }
    out.append("</table></div>\n");
  }

  private static String cell(String element, String style, String text) {
    return "<%1$s class=\"%2$s\">%3$s</%1$s>".formatted(element, style, Html.text(text));
  }

  private void runs() {
    List<ResultMetric> columns =
        Stream.of(ResultMetric.values())
            .filter(
                figure ->
                    report.flow().isEmpty()
                        || RUN_COLUMNS.contains(figure)
                        || isFaultOfSomeRun(figure))
            .filter(
                figure -> report.runs().stream().anyMatch(run -> run.figures().containsKey(figure)))
            .toList();
    out.append("<h2>Individual runs</h2><div class=\"wide\"><table><tr><th></th>");
    columns.forEach(figure -> out.append(cell("th", "n", figure.label())));
    out.append("</tr>\n");
    for (RunResult run : report.runs()) {
      out.append("<tr><td>" + Html.text(run.broker()) + "</td>");
      for (ResultMetric figure : columns) {
        boolean has = run.figures().containsKey(figure);
        out.append(cell("td", "n", has ? figure.text(run.figure(figure)) : "–"));
      }
      out.append("</tr>\n");
    }
    out.append("</table></div>\n");
  }

  private boolean isFaultOfSomeRun(ResultMetric figure) {
    return figure.isFault() && report.runs().stream().anyMatch(run -> run.figure(figure) > 0);
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
    out.append("<tr><td>" + Html.text(name) + "</td>");
    out.append("<td><code>" + Html.text(value) + "</code></td></tr>\n");
  }
}
