package io.fjordmq.broker.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.alarms.AlarmKind;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/**
 * The alerts in ops/prometheus use only what a node exports; each has a runbook and a test.
 * bin/test.sh also checks them with promtool.
 */
class AlertsTest {
  private static final Path FOLDER = Path.of("../ops/prometheus");
  private static final Path RUNBOOKS = Path.of("../docs/RUNBOOKS.md");
  private static final String RUNBOOK_URL =
      "https://github.com/fjordmq/fjordmq/blob/main/docs/RUNBOOKS.md#";

  private record Alert(
      String name,
      String expression,
      Map<String, String> labels,
      Map<String, String> annotations) {}

  @SuppressWarnings("unchecked")
  private static List<Alert> alerts() throws IOException {
    List<Alert> alerts = new ArrayList<>();
    for (Map<String, Object> group : list("alerts.yml", "groups")) {
      for (Map<String, Object> rule :
          (List<Map<String, Object>>) Objects.requireNonNull(group.get("rules"))) {
        alerts.add(
            new Alert(
                (String) Objects.requireNonNull(rule.get("alert")),
                (String) Objects.requireNonNull(rule.get("expr")),
                (Map<String, String>) Objects.requireNonNull(rule.get("labels")),
                (Map<String, String>) Objects.requireNonNull(rule.get("annotations"))));
      }
    }
    return alerts;
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> list(String file, String key) throws IOException {
    try (Reader reader = Files.newBufferedReader(FOLDER.resolve(file))) {
      Map<String, Object> content = new Yaml().load(reader);
      return (List<Map<String, Object>>) Objects.requireNonNull(content.get(key));
    }
  }

  @Test
  void shouldUseOnlyWhatNodesExport() throws IOException {
    for (Alert alert : alerts()) {
      DashboardsTest.assertExported(alert.name(), alert.expression());
    }
  }

  @Test
  void shouldExplainEveryAlert() throws IOException {
    assertThat(alerts())
        .hasSizeGreaterThan(30)
        .allSatisfy(
            alert -> {
              assertThat(alert.name()).startsWith("FjordMQ");
              assertThat(alert.labels()).containsOnlyKeys("severity");
              assertThat(alert.labels().get("severity")).isIn("critical", "warning", "info");
              assertThat(alert.annotations())
                  .containsOnlyKeys("summary", "description", "runbook_url")
                  .containsEntry(
                      "runbook_url", RUNBOOK_URL + alert.name().toLowerCase(Locale.ROOT));
              assertThat(alert.annotations().get("description")).endsWith(".");
            });
  }

  @Test
  void shouldHaveARunbookForEveryAlertInTheSameOrder() throws IOException {
    List<String> headings =
        Files.readAllLines(RUNBOOKS).stream()
            .filter(line -> line.startsWith("### "))
            .map(line -> line.substring(4))
            .toList();
    assertThat(headings).isEqualTo(alerts().stream().map(Alert::name).toList());
  }

  @Test
  void shouldAnswerTheSameQuestionsInEveryRunbook() throws IOException {
    String[] sections = Files.readString(RUNBOOKS).split("\n### ", -1);
    for (int i = 1; i < sections.length; i++) {
      assertThat(sections[i])
          .containsSubsequence("**What happened.**", "**Clients.**", "**Look at.**", "**Do.**");
    }
  }

  @Test
  void shouldTestEveryAlert() throws IOException {
    List<String> tests = new ArrayList<>();
    list("alerts_test.yml", "tests").forEach(test -> tests.add((String) test.get("name")));
    list("alerts_trend_test.yml", "tests").forEach(test -> tests.add((String) test.get("name")));
    assertThat(tests).containsAll(alerts().stream().map(Alert::name).toList());
  }

  @Test
  void shouldHaveARunbookForEveryAlarm() throws IOException {
    String runbooks = Files.readString(RUNBOOKS);
    for (AlarmKind kind : AlarmKind.values()) {
      assertThat(runbooks).containsPattern("\nAlarms?: .*`" + kind.label() + "`");
    }
  }
}
