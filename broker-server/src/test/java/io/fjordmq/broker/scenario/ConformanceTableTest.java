package io.fjordmq.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Goal: {@code docs/CONFORMANCE.md} lists every normative statement of the standards once, with
 * exactly the tests that name it.
 */
class ConformanceTableTest {
  /** Appendix B of MQTT 5.0: each section with the numbers of its statements. */
  private static final String MQTT_5 =
      "1.5.4:3 1.5.5:1 1.5.7:1 2.1.3:1 2.2.1:2-6 2.2.2:1 3.1.0:2 3.1.2:30 3.1.3:12 3.1.4:6 3.2.0:2"
          + " 3.2.2:22 3.3.1:13 3.3.2:20 3.3.4:10 3.4.2:3 3.5.2:3 3.6.1:1 3.6.2:3 3.7.2:3 3.8.1:1"
          + " 3.8.3:5 3.8.4:8 3.9.2:2 3.9.3:2 3.10.1:1 3.10.3:2 3.10.4:6 3.11.2:2 3.11.3:2 3.12.4:1"
          + " 3.14.0:1 3.14.1:1 3.14.2:4 3.14.4:3 3.15.1:1 3.15.2:3 4.1.0:2 4.2.0:1 4.3.1:1 4.3.2:5"
          + " 4.3.3:13 4.4.0:2 4.5.0:2 4.6.0:6 4.7.0:1 4.7.1:2 4.7.2:1 4.7.3:4 4.8.2:6 4.9.0:3"
          + " 4.12.0:7 4.12.1:2 4.13.1:1 4.13.2:1 6.0.0:4";

  /** Appendix B of MQTT 3.1.1. */
  private static final String MQTT_3_1_1 =
      "1.5.3:3 2.2.2:2 2.3.1:7 3.1.0:2 3.1.2:24 3.1.3:11 3.1.4:5 3.2.0:1 3.2.2:6 3.3.1:12 3.3.2:3"
          + " 3.3.4:1 3.3.5:2 3.6.1:1 3.8.1:1 3.8.3:4 3.8.4:6 3.9.3:2 3.10.1:1 3.10.3:2 3.10.4:6"
          + " 3.12.4:1 3.14.1:1 3.14.4:3 4.1.0:2 4.3.1:1 4.3.2:2 4.3.3:2 4.4.0:1 4.5.0:2 4.6.0:6"
          + " 4.7.1:3 4.7.2:1 4.7.3:4 4.8.0:2 6.0.0:4 7.0.0:2 7.1.1:1 7.1.2:1";

  private static final Pattern ROW = Pattern.compile("\\| ([^|]+?) \\| ([^|]+?) \\| ([^|]*?) *\\|");
  private static final Pattern TEST = Pattern.compile("`([^`]+)`");
  private static final String UNTESTED = "not shown yet";

  /** This number may only decrease. */
  private static final int MAX_UNTESTED = 0;

  /** A row: the tests it lists and its other remarks. */
  private record Row(String line, String statement, String meaning, Set<String> tests, String why) {

    static Row parse(String line, String prefix, Matcher row) {
      Set<String> tests = new TreeSet<>();
      Matcher test = TEST.matcher(row.group(3));
      while (test.find()) {
        tests.add(test.group(1));
      }
      String why = TEST.matcher(row.group(3)).replaceAll("").replace(",", "").strip();
      return new Row(line, prefix + row.group(1), row.group(2), tests, why);
    }
  }

  private static List<Row> table() throws IOException {
    List<Row> rows = new ArrayList<>();
    String prefix = "";
    for (String line : Files.readAllLines(Path.of("../docs/CONFORMANCE.md"))) {
      Matcher row = ROW.matcher(line);
      if (line.startsWith("## MQTT ")) {
        prefix = line.endsWith(" 5.0") ? "" : line.substring("## MQTT ".length()) + ": ";
      } else if (row.matches() && !row.group(1).matches("-+|statement|section")) {
        rows.add(Row.parse(line, prefix, row));
      }
    }
    return rows;
  }

  private static List<String> statements(String prefix, String sections) {
    List<String> all = new ArrayList<>();
    for (String section : sections.split(" ", -1)) {
      String[] numbers = section.substring(section.indexOf(':') + 1).split("-", -1);
      int last = Integer.parseInt(numbers[numbers.length - 1]);
      int first = numbers.length == 1 ? 1 : Integer.parseInt(numbers[0]);
      for (int number = first; number <= last; number++) {
        all.add(prefix + "MQTT-" + section.substring(0, section.indexOf(':')) + "-" + number);
      }
    }
    return all;
  }

  @Test
  void shouldListEveryStatementOnceInTheOrderOfTheStandards() throws IOException {
    List<String> expected = statements("", MQTT_5);
    assertThat(expected).hasSize(251);
    List<String> before = statements("3.1.1: ", MQTT_3_1_1);
    assertThat(before).hasSize(141);
    expected.addAll(before);
    List<String> listed =
        table().stream().map(Row::statement).filter(one -> one.contains("MQTT-")).toList();
    assertThat(listed).isEqualTo(expected);
  }

  @Test
  void shouldListTheTestsThatNameTheStatement() throws IOException {
    NamedTests tests = NamedTests.read();
    Map<String, String> wrong = new LinkedHashMap<>();
    for (Row row : table()) {
      Set<String> naming = tests.testsOf(row.statement);
      if (!row.tests.equals(naming)) {
        wrong.put(
            row.statement,
            naming.stream().map(one -> "`" + one + "`").collect(Collectors.joining(", ")));
      }
    }
    assertThat(wrong).as("rows whose tests should be these").isEmpty();
  }

  @Test
  void shouldHaveARowForEveryStatementThatATestNames() throws IOException {
    Set<String> named = new TreeSet<>(NamedTests.read().statements());
    table().forEach(row -> named.remove(row.statement));
    assertThat(named).as("statements that tests name and no standard has").isEmpty();
  }

  @Test
  void shouldListTestsOrAReasonForEveryStatement() throws IOException {
    List<String> silent = new ArrayList<>();
    for (Row row : table()) {
      if (row.tests.isEmpty() && (row.why.isEmpty() || row.why.equals(UNTESTED))) {
        silent.add(row.line);
      }
    }
    assertThat(silent).hasSizeLessThanOrEqualTo(MAX_UNTESTED);
  }
}
