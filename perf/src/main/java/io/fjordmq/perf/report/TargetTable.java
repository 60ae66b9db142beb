package io.fjordmq.perf.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The table of targets, which shows which of them the brokers meet on this host.
 *
 * @param command the command line exactly as given
 * @param startedAt date and time, ISO 8601
 * @param facts facts about the host, the commits and the settings, by name
 * @param results results in the order of the rows
 */
public record TargetTable(
    String command, String startedAt, Map<String, String> facts, List<TargetResult> results) {
  @JsonProperty
  int format() {
    return 1;
  }

  /** Returns whether every row was measured. */
  @JsonProperty("complete")
  public boolean isComplete() {
    return results.stream().allMatch(result -> result.failure() == null);
  }

  /** Returns whether no broker had any fault. */
  @JsonProperty("flawless")
  public boolean hasNoFaults() {
    return results.stream()
        .flatMap(result -> result.runs().stream())
        .allMatch(run -> run.faults().isEmpty());
  }

  /**
   * Returns the report as Markdown: the table, the problems, the commands of the rows, and facts.
   */
  public String markdown() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("row", "target", "broker", "median (min–max)", "met"));
    List<String> commands = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (TargetResult result : results) {
      for (TargetResult.Outcome outcome : result.outcomes()) {
        String target = outcome.target().text(outcome.metric());
        String measured = outcome.measured();
        rows.add(List.of(result.name(), target, outcome.broker(), measured, outcome.met()));
      }
      commands.add("%s: %s: `%s`".formatted(result.name(), result.row().work(), result.command()));
      problems.addAll(result.problems());
    }
    List<String> environment = new ArrayList<>(List.of("command: " + command));
    environment.add("started: " + startedAt);
    facts.forEach((name, value) -> environment.add(name + ": " + value));
    rows.add(1, rows.get(0).stream().map(column -> "---").toList());
    return rows.stream()
            .map(row -> row.stream().collect(Collectors.joining(" | ", "| ", " |\n")))
            .collect(Collectors.joining("", "", "\n"))
        + list(problems)
        + list(commands)
        + list(environment);
  }

  private static String list(List<String> lines) {
    return lines.stream().map(line -> "- " + line + "\n").collect(Collectors.joining("", "", "\n"));
  }
}
