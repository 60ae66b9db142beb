package io.fjordmq.broker.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.http.MetricsFormat;
import io.fjordmq.broker.ops.MetricsPage.Family;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import io.fjordmq.broker.providers.ProviderInfo;
import io.fjordmq.cluster.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The metrics page conforms to both text formats and to the naming conventions. */
class MetricsPageTest {
  private static final Pattern OTHER_UNITS =
      Pattern.compile(
          ".*_(millis|milliseconds|ms|micros|nanos|minutes|hours|percent|permille|kib|mib|bits)"
              + "(_.*)?");

  /** Metrics of durations, sizes and fractions name their unit last. */
  private static final Pattern UNIT_IN_THE_MIDDLE =
      Pattern.compile("fjordmq_.*_(seconds|bytes|ratio)_(?!total$|max$).*");

  private final BrokerMetrics metrics = new BrokerMetrics("1.2.3");

  @AfterEach
  void close() {
    metrics.close();
  }

  @ParameterizedTest
  @EnumSource(MetricsFormat.class)
  void shouldConformToTheFormat(MetricsFormat format) {
    metrics.listeners().onListening("tcpListener", "tcp", 100, () -> 1);
    metrics
        .security()
        .provider(new ProviderInfo(Chain.AUTHENTICATION, "redis", "redis", true, Set.of(), false));
    metrics.routes().onWaited(List.of(new NodeId("n1")), 1_000);
    metrics.sessions().onAcknowledged(3_000_000);
    Map<String, Family> families = MetricsPage.parse(format, metrics.scrape(format));
    for (Metric metric : Metric.all()) {
      String name = familyName(metric, format);
      assertThat(families).containsKey(name);
      Family family = Objects.requireNonNull(families.get(name));
      assertThat(family.help).isEqualTo(metric.help());
      assertThat(family.samples).isNotEmpty();
    }
  }

  private static String familyName(Metric metric, MetricsFormat format) {
    String name = metric.exposedName();
    if (format == MetricsFormat.PROMETHEUS) {
      return name;
    }
    return name.replaceFirst("_(total|info)$", "");
  }

  /** Documented in METRICS.md; more series make each scrape more expensive. */
  @Test
  void shouldHaveABoundedNumberOfSeries() {
    String page = metrics.scrape(MetricsFormat.PROMETHEUS);
    assertThat(page.lines().filter(line -> !line.startsWith("#")).count()).isLessThan(1_200);
  }

  @Test
  void shouldUseBaseUnitsAtTheEndOfNames() {
    for (Metric metric : Metric.all()) {
      assertThat(metric.exposedName())
          .matches("fjordmq(_[a-z0-9]+)+")
          .doesNotMatch(OTHER_UNITS)
          .doesNotMatch(UNIT_IN_THE_MIDDLE);
    }
  }

  /** A help text is read in an alphabetical list, so it must not refer to the metric before it. */
  @Test
  void shouldHaveHelpTextsThatStandAlone() {
    for (Metric metric : Metric.all()) {
      assertThat(metric.help())
          .as(metric.exposedName())
          .matches("[A-Z1].*[^. ]")
          .doesNotContainPattern("^(Of them|Their|Its|These|Those|The same)\\b")
          .doesNotContain("\n", "\\", "|");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a 1",
        "# TYPE a gauge\na 1",
        "# HELP a A.\n# TYPE a gauge\na 1\na 2",
        "# HELP a A.\n# TYPE a counter\na 1",
        "# HELP a A.\n# TYPE a gauge\na{b=c} 1",
        "# HELP a A.\n# TYPE a gauge\na{b=\"c\",b=\"d\"} 1",
        "# HELP a A.\n# TYPE a gauge\nb 1",
        "# HELP a A.\n# TYPE a gauge\na 1\n# HELP b B.\n# TYPE b gauge\n# HELP a A.",
        "# HELP a A.\n# TYPE a gauge\n# UNIT a seconds\na 1"
      })
  void shouldDetectViolations(String page) {
    String whole = page + "\n# EOF\n";
    assertThatThrownBy(() -> MetricsPage.parse(MetricsFormat.OPENMETRICS, whole))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void shouldRequireTheEndOfAnOpenMetricsPage() {
    String page = "# HELP a A.\n# TYPE a gauge\na 1\n";
    assertThat(MetricsPage.parse(MetricsFormat.PROMETHEUS, page)).containsKey("a");
    assertThatThrownBy(() -> MetricsPage.parse(MetricsFormat.OPENMETRICS, page))
        .hasMessageContaining("# EOF");
  }
}
