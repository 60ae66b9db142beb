package io.fjordmq.perf.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.scenario.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Targets, their file and the table of what was measured. */
class TargetTableTest {
  @TempDir Path directory;

  private static RunResult run(String broker, double cpuMicros, String... faults) {
    Map<ResultMetric, Double> figures = Map.of(ResultMetric.CPU_MICROS, cpuMicros);
    return new RunResult(broker, figures, List.of(), new TreeMap<>(), List.of(faults), List.of());
  }

  private Map<String, TargetRow> rows(String yaml) throws IOException {
    Path file = directory.resolve("targets.yml");
    Files.writeString(file, yaml);
    return TargetRow.read(file);
  }

  private TargetResult result(String target, RunResult... runs) throws IOException {
    String yaml = "one: {work: w, run: r, targets: {cpuMicros: " + target + "}}";
    TargetRow row = Objects.requireNonNull(rows(yaml).get("one"));
    return new TargetResult("one", row, "bin/perf.sh run r", List.of(runs), null);
  }

  private static TargetTable table(TargetResult result) {
    return new TargetTable(
        "bin/perf.sh targets one", "now", Map.of("commit", "1"), List.of(result));
  }

  @Test
  void shouldCompareTheMedianWithTheTarget() throws IOException {
    TargetResult met = result("15", run("fjordmq", 14), run("fjordmq", 15), run("fjordmq", 99));
    assertThat(table(met).markdown()).contains("≤ 15 µs | fjordmq | 15.0 (14.0–99.0) µs | yes |");
    TargetResult missed =
        result("14.5", run("fjordmq", 14), run("fjordmq", 15), run("fjordmq", 99));
    assertThat(table(missed).markdown())
        .contains("| one | broker CPU per message ≤ 14.5 µs | fjordmq | 15.0 (14.0–99.0) µs | no |")
        .contains("- one: w: `bin/perf.sh run r`", "- commit: 1");
  }

  @Test
  void shouldCompareRatiosOfCorrespondingRuns() throws IOException {
    TargetResult result =
        result(
            "1.0 x mosquitto",
            run("fjordmq", 10),
            run("mosquitto", 10),
            run("fjordmq", 30),
            run("mosquitto", 20),
            run("fjordmq", 18),
            run("mosquitto", 20));
    assertThat(table(result).markdown())
        .contains("≤ 1.0 x mosquitto | fjordmq | 1.00 (0.90–1.50): 18.0 and 20.0 µs | yes |")
        .doesNotContain("| mosquitto |");
  }

  @Test
  void shouldListFiguresWithoutATarget() throws IOException {
    assertThat(table(result("none", run("fjordmq", 7))).markdown())
        .contains("| one | broker CPU per message | fjordmq | 7.00 (7.00–7.00) µs | – |");
  }

  @Test
  void shouldReportWhatWasNotMeasured() throws IOException {
    TargetRow row = result("1").row();
    TargetResult failed = new TargetResult("one", row, "c", List.of(), "no disk");
    TargetTable table = table(failed);
    assertThat(table.isComplete()).isFalse();
    assertThat(table.markdown()).contains("| – | – | – |", "- one: incomplete: no disk");
    TargetTable lossy = table(result("9", run("fjordmq", 1, "1 messages were lost")));
    assertThat(lossy.isComplete()).isTrue();
    assertThat(lossy.hasNoFaults()).isFalse();
    assertThat(lossy.markdown()).contains("- one: FAULT of fjordmq: 1 messages were lost");
  }

  @Test
  void shouldWriteTheOutcomesAsJson() throws IOException {
    String json = ReportJson.write(table(result("2 x mosquitto", run("fjordmq", 3))));
    ParsedReport report = new ParsedReport(json);
    assertThat(report.at("results", 0, "outcomes", 0, "target")).isEqualTo("2 x mosquitto");
    assertThat(report.at("results", 0, "outcomes", 0, "met")).isEqualTo("–");
    assertThat(report.number("results", 0, "runs", 0, "figures", "cpuMicros")).isEqualTo(3);
  }

  @Test
  void shouldRejectInvalidRows() {
    assertThatThrownBy(() -> rows("one: {work: w, run: r, targets: {cpuMicros: fast}}"))
        .isInstanceOf(UsageException.class)
        .hasMessageContainingAll("targets.yml: one: ", "fast");
    assertThatThrownBy(() -> rows("one: {work: w, run: r, targets: {speed: 1}}"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("speed");
    assertThatThrownBy(() -> rows("one: {run: r, targets: {}}"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("'work'");
    assertThatThrownBy(() -> rows("one: {walk: w}")).isInstanceOf(UsageException.class);
  }
}
