package io.fjordmq.broker.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.ops.PromQl.LabelMatcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * The dashboards in ops/grafana query only what a node exports, and everything on them is
 * explained. bin/test.sh also runs all queries against a loaded cluster.
 */
class DashboardsTest {
  private static final Path FOLDER = Path.of("../ops/grafana");
  private static final Pattern LEGEND = Pattern.compile("\\{\\{([a-z]+)}}");
  private static final Pattern RUNBOOK = Pattern.compile("Runbook: (FjordMQ\\w+)");

  /** Units of Grafana, https://github.com/grafana/grafana, getCategories. */
  private static final Set<String> UNITS =
      Set.of(
          "none", "short", "s", "bytes", "Bps", "percentunit", "cps", "mps", "ops", "eps", "reqps");

  private static final ExportedSeries EXPORTED = ExportedSeries.read();

  static Stream<Path> dashboards() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList().stream();
    }
  }

  private static JsonNode read(Path file) {
    return new ObjectMapper().readTree(file.toFile());
  }

  private static List<JsonNode> panels(JsonNode dashboard) {
    List<JsonNode> panels = new ArrayList<>();
    dashboard.get("panels").forEach(panels::add);
    return panels.stream().filter(panel -> !type(panel).equals("row")).toList();
  }

  private static String type(JsonNode panel) {
    return panel.get("type").asString();
  }

  private static String name(JsonNode panel) {
    return panel.get("title").asString();
  }

  @Test
  void shouldHaveADashboardForEachArea() throws IOException {
    assertThat(dashboards().map(file -> file.getFileName().toString()))
        .containsExactly("clients.json", "jvm.json", "overview.json", "storage.json");
    assertThat(dashboards().map(file -> read(file).get("uid").asString())).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void shouldBeImportedIntoAnyGrafana(Path file) {
    JsonNode dashboard = read(file);
    assertThat(dashboard.get("schemaVersion").asInt()).isGreaterThanOrEqualTo(41);
    assertThat(dashboard.has("id")).as("an id would overwrite another dashboard").isFalse();
    List<String> variables = new ArrayList<>();
    dashboard
        .get("templating")
        .get("list")
        .forEach(variable -> variables.add(variable.get("name").asString()));
    assertThat(variables).containsExactly("datasource", "job", "node");
    assertThat(dashboard.findValues("datasource"))
        .allSatisfy(source -> assertThat(source.get("uid").asString()).isEqualTo("${datasource}"));
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void shouldExplainEveryPanel(Path file) throws IOException {
    String runbooks = Files.readString(Path.of("../docs/RUNBOOKS.md"));
    for (JsonNode panel : panels(read(file))) {
      String description = panel.get("description").asString();
      assertThat(description).as(name(panel)).hasSizeGreaterThan(20).endsWith(".");
      Matcher runbook = RUNBOOK.matcher(description);
      while (runbook.find()) {
        assertThat(runbooks).contains("### " + runbook.group(1) + "\n");
      }
      assertThat(panel.get("fieldConfig").get("defaults").get("unit").asString())
          .as("unit of " + name(panel))
          .isIn(UNITS);
    }
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void shouldPlacePanelsWithoutOverlap(Path file) {
    Set<Integer> ids = new HashSet<>();
    Set<String> taken = new HashSet<>();
    read(file)
        .get("panels")
        .forEach(
            panel -> {
              assertThat(ids.add(panel.get("id").asInt())).as(name(panel)).isTrue();
              JsonNode place = panel.get("gridPos");
              int right = place.get("x").asInt() + place.get("w").asInt();
              assertThat(right).as(name(panel)).isLessThanOrEqualTo(24);
              for (int x = place.get("x").asInt(); x < right; x++) {
                for (int row = 0; row < place.get("h").asInt(); row++) {
                  String cell = x + "/" + (place.get("y").asInt() + row);
                  assertThat(taken.add(cell)).as(name(panel) + " at " + cell).isTrue();
                }
              }
            });
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void shouldQueryOnlyWhatNodesExport(Path file) {
    int queries = 0;
    for (JsonNode panel : panels(read(file))) {
      for (JsonNode target : panel.get("targets")) {
        String expression = target.get("expr").asString();
        assertThat(expression).as(name(panel)).contains("job=\"$job\"");
        assertExported(name(panel), expression);
        assertLegend(name(panel), expression, target.get("legendFormat").asString());
        queries++;
      }
    }
    assertThat(queries).isGreaterThan(15);
  }

  /** Asserts that a node exports all metrics, labels and values of labels in an expression. */
  static void assertExported(String where, String expression) {
    PromQl parsed = PromQl.parse(expression);
    assertThat(parsed.metrics()).as(where).isNotEmpty();
    assertThat(EXPORTED.names()).as(where).containsAll(parsed.metrics());
    assertThat(labels(parsed)).as(where).containsAll(parsed.groupings());
    for (LabelMatcher matcher : parsed.matchers()) {
      assertThat(EXPORTED.labels(matcher.metric())).as(where).contains(matcher.label());
      Set<String> known = EXPORTED.values(matcher.metric(), matcher.label());
      if (!known.isEmpty()) {
        assertThat(known).as(where).containsAll(matcher.values());
      }
    }
  }

  private static void assertLegend(String where, String expression, String legend) {
    Set<String> labels = labels(PromQl.parse(expression));
    Matcher label = LEGEND.matcher(legend);
    while (label.find()) {
      assertThat(labels).as(where).contains(label.group(1));
    }
  }

  private static Set<String> labels(PromQl parsed) {
    Set<String> labels = new HashSet<>();
    parsed.metrics().forEach(metric -> labels.addAll(EXPORTED.labels(metric)));
    return labels;
  }
}
