package io.fjordmq.broker.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.dispatch.CopyDropReason;
import io.fjordmq.broker.http.MetricsFormat;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.session.DropReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/METRICS.md lists exactly the metrics and reasons of the code. */
class MetricsDocumentTest {
  private static final Path DOCUMENT = Path.of("../docs/METRICS.md");
  private static final Pattern METRIC_NAME = Pattern.compile("fjordmq_[a-z0-9_]*[a-z0-9]\\b");

  @Test
  void shouldDescribeEveryMetricOnce() throws IOException {
    List<String> rows =
        Files.readAllLines(DOCUMENT).stream()
            .filter(line -> line.startsWith("| `fjordmq_"))
            .toList();
    List<String> expected = Metric.all().stream().map(MetricsDocumentTest::row).toList();
    assertThat(rows.stream().filter(row -> row.split("\\|", -1).length == 6)).isEqualTo(expected);
  }

  @Test
  void shouldNameOnlyExistingMetricsInTheOtherTables() throws IOException {
    List<String> known = Metric.all().stream().map(Metric::exposedName).toList();
    for (String line : Files.readAllLines(DOCUMENT)) {
      Matcher name = METRIC_NAME.matcher(line);
      while (name.find()) {
        assertThat(known).as(line).contains(name.group());
      }
    }
  }

  @Test
  void shouldExplainEveryReasonOfADroppedMessage() throws IOException {
    List<String> expected = new ArrayList<>();
    Arrays.stream(DropReason.values()).forEach(r -> expected.add("session " + r.label()));
    Arrays.stream(CopyDropReason.values()).forEach(r -> expected.add("delivery " + r.label()));
    InboxMeters.DROP_REASONS.forEach(reason -> expected.add("inbox " + reason));
    List<List<String>> rows = rows("## Dropped messages");
    assertThat(rows.stream().map(row -> row.get(0) + " " + row.get(1))).isEqualTo(expected);
    assertThat(rows)
        .allSatisfy(row -> assertThat(row).hasSize(5).noneMatch(cell -> cell.isBlank()));
  }

  @Test
  void shouldExplainEveryReasonOfAClosedConnection() throws IOException {
    List<List<String>> rows = rows("## Refused and closed connections");
    assertThat(rows.stream().map(row -> row.get(0) + " " + row.get(1)))
        .isEqualTo(
            Arrays.stream(CloseReason.values()).map(r -> r.label() + " " + code(r)).toList());
    assertThat(rows)
        .allSatisfy(row -> assertThat(row).hasSize(4).noneMatch(cell -> cell.isBlank()));
  }

  private static String code(CloseReason reason) {
    return reason.reasonCode() < 0 ? "–" : "0x%02X".formatted(reason.reasonCode());
  }

  /** The cells of the table in a section, without its header. */
  private static List<List<String>> rows(String section) throws IOException {
    List<String> lines = Files.readAllLines(DOCUMENT);
    return lines.subList(lines.indexOf(section), lines.size()).stream()
        .skip(1)
        .takeWhile(line -> !line.startsWith("## "))
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(1, line.length() - 1).split("\\|", -1))
        .map(cells -> Arrays.stream(cells).map(MetricsDocumentTest::text).toList())
        .toList();
  }

  private static String text(String cell) {
    String stripped = cell.strip();
    return stripped.matches("`[a-z_0-9]+`")
        ? stripped.substring(1, stripped.length() - 1)
        : stripped;
  }

  @Test
  void shouldExposeEveryMetricFromTheStart() {
    try (BrokerMetrics metrics = new BrokerMetrics("1.2.3")) {
      String page = metrics.scrape(MetricsFormat.PROMETHEUS);
      for (Metric metric : Metric.all()) {
        if (!metric.hasDynamicLabels()) {
          assertThat(page).contains("# TYPE " + metric.exposedName() + " ");
        }
      }
      assertThat(page).contains("jvm_memory_used_bytes", "process_uptime_seconds", "jvm_gc_");
    }
  }

  @Test
  void shouldNotRegisterAMetricTwice() {
    assertThat(Metric.all().stream().map(Metric::id)).doesNotHaveDuplicates();
  }

  private static String row(Metric metric) {
    return "| `%s` | %s | %s | %s |"
        .formatted(
            metric.exposedName(),
            metric.kind().name().toLowerCase(Locale.ROOT),
            metric.labels(),
            metric.help());
  }
}
