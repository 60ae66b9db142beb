package io.fjordmq.perf.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.load.Sample;
import io.fjordmq.perf.load.Sample.Phase;
import io.fjordmq.perf.load.Series;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports as HTML, JSON and terminal output. */
class ReportTest {
  @TempDir Path directory;

  private static RunResult run(String broker, double cpuMicros, List<String> faults) {
    return run(broker, cpuMicros, faults, 0);
  }

  private static RunResult run(String broker, double cpuMicros, List<String> faults, double lost) {
    List<Sample> samples = new ArrayList<>();
    for (int second = 1; second <= 6; second++) {
      samples.add(
          new Sample(
              second,
              second <= 2 ? Phase.WARM : Phase.COUNT,
              Map.of(
                  Series.SENT, 1000.0,
                  Series.RECEIVED, 990.0 + second,
                  Series.MEAN_MS, 0.4,
                  Series.P99_MS, 3.0,
                  Series.MAX_MS, 40.0 * second,
                  Series.CPU_PERCENT, 12.5,
                  Series.MEMORY_MB, 200.0 + second,
                  Series.RANGES, 9.0,
                  Series.LED_BY_2, 4.0)));
    }
    return new RunResult(
        broker,
        Map.of(
            ResultMetric.SENT, 1000.0,
            ResultMetric.RECEIVED, 995.0,
            ResultMetric.MEAN_MS, 0.41234,
            ResultMetric.P99_MS, 3.0,
            ResultMetric.CPU_MICROS, cpuMicros,
            ResultMetric.MEMORY_MB, 206.0,
            ResultMetric.LOST, lost),
        samples,
        new TreeMap<>(Map.of(50.0, 0.3, 99.0, 3.0, 100.0, 240.0)),
        faults,
        List.of("a remark of " + broker));
  }

  private static Report report(RunResult... runs) {
    return report("pairs", 2, runs);
  }

  private static Report report(String flow, int warmSeconds, RunResult... runs) {
    return new Report(
        "true_1k_1k_qos0_p32_1mps_1n",
        "1000 publishers, each to its own subscriber",
        "mean 2 ms",
        flow,
        "bin/perf.sh run true_1k_1k_qos0_p32_1mps_1n --scale \"0.5\" <&>",
        "2026-01-02T03:04:05+01:00",
        Map.of("commit", "abc123", "processors", "2 × Fast", "JVM of the tool", "VM 17"),
        List.of("publishers: 500 instead of 1000"),
        warmSeconds,
        4,
        List.of(runs));
  }

  @Test
  void shouldShowResultsInHtml() {
    String page = HtmlReport.write(report(run("fjordmq", 9.5, List.of())));
    assertThat(page)
        .contains("true_1k_1k_qos0_p32_1mps_1n", "nothing lost, duplicated or out of order")
        .contains("publishers: 500 instead of 1000", "a remark of fjordmq", "mean 2 ms")
        .contains("--scale &quot;0.5&quot; &lt;&amp;&gt;", "abc123", "2 × Fast", "VM 17")
        .contains("4 s measured after 2 s of warm-up")
        .contains("prefers-color-scheme: dark")
        .contains("2026-01-02T03:04:05+01:00")
        .contains(">9.50<", ">0.41<")
        .contains("led by node 2");
    assertThat(titles(page))
        .containsExactly(
            "Messages",
            "Latency, publish to delivery",
            "Latency by percentile",
            "CPU",
            "Memory of the broker",
            "Ranges and their leaders");
  }

  @Test
  void shouldReportScenariosWithoutMessages() {
    RunResult only =
        new RunResult(
            "fjordmq",
            Map.of(ResultMetric.CONNECTED, 50.0, ResultMetric.REFUSED, 0.0),
            List.of(
                new Sample(1, Phase.CONNECT, Map.of(Series.CONNECTED, 50.0)),
                new Sample(5, Phase.COUNT, Map.of(Series.CONNECTED, 50.0))),
            new TreeMap<>(),
            List.of(),
            List.of());
    assertThat(HtmlReport.write(report("connections", 0, only)))
        .contains(
            "no client refused or disconnected", "held for 4 s after the last client connected")
        .contains(">held</text>")
        .doesNotContain("nothing lost", "warm-up", ">counted</text>");
    assertThat(HtmlReport.write(report("pairs", 0, only)))
        .contains("no messages were sent", "4 s measured without a warm-up")
        .doesNotContain("nothing lost");
  }

  private static List<String> titles(String page) {
    Matcher matcher = Pattern.compile("<figcaption><b>([^<]*)</b>").matcher(page);
    List<String> titles = new ArrayList<>();
    while (matcher.find()) {
      titles.add(matcher.group(1));
    }
    return titles;
  }

  @Test
  void shouldBeSelfContained() {
    String page = HtmlReport.write(report(run("fjordmq", 9.5, List.of())));
    assertThat(page).doesNotContain("http:", "https:", "<link", "src=", "@import", "url(");
  }

  @Test
  void shouldKeepOverlappingLinesVisible() {
    String two =
        HtmlReport.write(report(run("fjordmq", 10, List.of()), run("mosquitto", 9, List.of())));
    assertThat(titles(two)).startsWith("Messages, fjordmq", "Messages, mosquitto");
    assertThat(two).contains("<path class=\"line c0 d0 broad\"");
    RunResult alone =
        new RunResult(
            "fjordmq",
            Map.of(),
            List.of(new Sample(1, Phase.COUNT, Map.of(Series.RANGES, 9.0, Series.LED_BY_1, 9.0))),
            new TreeMap<>(),
            List.of(),
            List.of());
    assertThat(HtmlReport.write(report(alone))).contains("Ranges").doesNotContain("led by");
  }

  /** SVG elements have no offsetLeft, so the tooltip had no position. */
  @Test
  void shouldPositionTheTooltip() {
    assertThat(HtmlReport.write(report(run("fjordmq", 9.5, List.of()))))
        .contains("chart.parentElement.getBoundingClientRect()")
        .doesNotContain("chart.offset");
  }

  @Test
  void shouldDrawEveryPointInsideThePlot() {
    String page = HtmlReport.write(report(run("fjordmq", 9.5, List.of())));
    Matcher lines = Pattern.compile("<path class=\"line [^\"]*\" d=\"([^\"]*)\"/>").matcher(page);
    int found = 0;
    while (lines.find()) {
      String[] points = lines.group(1).substring(1).split("L", -1);
      for (String point : points) {
        String[] xy = point.split(" ", -1);
        assertThat(Double.parseDouble(xy[0])).isBetween(52.0, 630.0);
        assertThat(Double.parseDouble(xy[1])).isBetween(18.0, 226.0);
      }
      found += points.length;
    }
    // Nine series over six seconds, and three percentiles.
    assertThat(found).isEqualTo(9 * 6 + 3);
  }

  @Test
  void shouldCompareTwoBrokersSideBySide() {
    Report report =
        report(
            run("fjordmq", 12, List.of()),
            run("mosquitto", 10, List.of("3 messages were lost")),
            run("fjordmq", 9, List.of()),
            run("mosquitto", 8, List.of()),
            run("fjordmq", 10, List.of()),
            run("mosquitto", 20, List.of()));
    assertThat(report.aggregate("fjordmq", ResultMetric.CPU_MICROS)).hasValue(10);
    assertThat(report.median("fjordmq").figures()).containsEntry(ResultMetric.CPU_MICROS, 10.0);
    assertThat(report.hasNoFaults()).isFalse();
    assertThat(HtmlReport.write(report))
        .contains(
            "with faults",
            "3 messages were lost",
            "medians of 3 runs, sums of faults",
            "Individual runs")
        .contains("mosquitto p99");
    assertThat(TerminalTable.of(report))
        .contains("FAULT of mosquitto: 3 messages were lost", "ratio")
        .containsPattern(
            "broker CPU per message +µs +10.00 +10.00 +1.13\n"); // of 1.2, 1.125 and 0.5
  }

  @Test
  void shouldSumFaultsOverAllRuns() throws IOException {
    Report report =
        report(
            run("fjordmq", 9, List.of()),
            run("fjordmq", 10, List.of("1,000 messages were lost"), 1000),
            run("fjordmq", 11, List.of()));
    assertThat(report.aggregate("fjordmq", ResultMetric.LOST)).hasValue(1000);
    assertThat(report.aggregate("fjordmq", ResultMetric.CPU_MICROS)).hasValue(10);
    assertThat(report.aggregate("fjordmq", ResultMetric.REFUSED)).isEmpty();
    assertThat(TerminalTable.of(report)).containsPattern("lost +messages +1,000\n");
    ParsedReport json = new ParsedReport(ReportJson.write(report));
    assertThat(json.number("sums", "fjordmq", "lost")).isEqualTo(1000);
    assertThat(json.at("medians", "fjordmq").toString()).doesNotContain("lost");
    assertThat(HtmlReport.write(report)).contains("<td>lost</td><td class=\"n\">1,000</td>");
    Path better = writeJson("better.json", report(run("fjordmq", 10, List.of())));
    assertThat(Comparison.of(better, writeJson("worse.json", report)))
        .contains("A has 1 runs, B has 3", "FAULT in B: 1,000 messages were lost")
        .doesNotContain("FAULT in A")
        .containsPattern("lost +messages +0 +1,000 +worse\n");
  }

  @Test
  void shouldReportTheSameInJson() {
    Report report = report(run("fjordmq", 9.5, List.of("a \"fault\"\n")));
    ParsedReport json = new ParsedReport(ReportJson.write(report));
    assertThat(json.at("scenario")).isEqualTo(report.scenario());
    assertThat(json.at("command")).isEqualTo(report.command());
    assertThat(json.at("flawless")).isEqualTo(false);
    assertThat(json.number("medians", "fjordmq", "meanMs")).isEqualTo(0.41234);
    assertThat(json.at("runs", 0, "faults")).isEqualTo(List.of("a \"fault\"\n"));
    assertThat(json.list("runs", 0, "samples")).hasSize(6);
    assertThat(json.at("runs", 0, "samples", 0, "phase")).isEqualTo("warm");
    assertThat(json.number("runs", 0, "samples", 0, "p99Ms")).isEqualTo(3);
  }

  private Path writeJson(String name, Report report) throws IOException {
    return Files.writeString(directory.resolve(name), ReportJson.write(report));
  }

  @Test
  void shouldCompareTwoReports() throws IOException {
    Path before = writeJson("before.json", report(run("fjordmq", 10, List.of())));
    Path after = writeJson("after.json", report(run("fjordmq", 5, List.of())));
    assertThat(Comparison.of(before, after))
        .contains("\nfjordmq\n")
        .containsPattern("broker CPU per message +µs +10.00 +5.00 +0.50 +better")
        .containsPattern("latency mean +ms +0.41 +0.41 +1.00\n")
        .doesNotContain("Differences");
    Path other = writeJson("other.json", report(run("mosquitto", 20, List.of())));
    assertThat(Comparison.of(before, other))
        .contains("fjordmq compared with mosquitto")
        .containsPattern("broker CPU per message +µs +10.00 +20.00 +2.00 +worse");
  }

  @Test
  void shouldRejectFilesThatAreNotReports() throws IOException {
    Path report = writeJson("a.json", report(run("fjordmq", 10, List.of())));
    Path other = Files.writeString(directory.resolve("b.json"), "{\"scenario\": 1}");
    assertThatThrownBy(() -> Comparison.of(report, other))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("b.json is not a report");
    Path broken = Files.writeString(directory.resolve("c.json"), "{");
    assertThatThrownBy(() -> Comparison.of(broken, report)).hasMessageContaining("c.json");
    assertThatThrownBy(() -> Comparison.of(report, directory.resolve("nosuch.json")))
        .hasMessageContaining("file not found: ")
        .hasMessageContaining("nosuch.json");
    assertThatThrownBy(() -> Comparison.of(directory, report))
        .hasMessageContaining("cannot read " + directory);
    Path noText = Files.write(directory.resolve("d.json"), new byte[] {(byte) 0xc3, 0x28});
    assertThatThrownBy(() -> Comparison.of(noText, report))
        .hasMessageContaining("d.json is not a text file");
    Path old =
        Files.writeString(directory.resolve("e.json"), "{\"format\": 1, \"medians\": {\"x\": {}}}");
    assertThatThrownBy(() -> Comparison.of(report, old))
        .hasMessageContaining("e.json has format 1");
  }
}
