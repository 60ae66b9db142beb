package io.fjordmq.broker.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** docs/METRICS.md lists exactly the metrics that the code registers. */
class MetricsDocumentTest {
  private static final Path DOCUMENT = Path.of("../docs/METRICS.md");

  @Test
  void shouldDescribeEveryMetricOnce() throws IOException {
    List<String> rows =
        Files.readAllLines(DOCUMENT).stream()
            .filter(line -> line.startsWith("| `fjordmq_"))
            .toList();
    List<String> expected = Metric.all().stream().map(MetricsDocumentTest::row).toList();
    // The alerts are a table, too; its rows contain a metric and a comparison.
    assertThat(rows.stream().filter(row -> row.split("\\|", -1).length == 6)).isEqualTo(expected);
  }

  @Test
  void shouldExposeEveryMetricFromTheStart() {
    try (BrokerMetrics metrics = new BrokerMetrics("1.2.3")) {
      String page = metrics.scrape();
      for (Metric metric : Metric.all()) {
        assertThat(page).contains("# TYPE " + metric.exposedName() + " ");
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
