package io.fjordmq.broker.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parses a file of scenarios and rejects every line it does not understand. */
final class ScenarioFile {
  private static final String TITLE = "scenario ";
  private static final String THEN = "----";

  private final String file;
  private final List<Scenario> scenarios = new ArrayList<>();
  private final List<Statement> settings = new ArrayList<>();
  private final List<Scenario.Step> steps = new ArrayList<>();
  private final List<Statement> actions = new ArrayList<>();
  private @Nullable List<Statement> expected;
  private @Nullable List<Integer> versions;
  private String title = "";
  private int titleLine;

  private ScenarioFile(String file) {
    this.file = file;
  }

  /** All scenarios of this module, file by file. */
  static List<Scenario> all() {
    try (Stream<Path> files = Files.list(Path.of("src/test/scenarios"))) {
      return files
          .filter(file -> file.toString().endsWith(".txt"))
          .sorted()
          .flatMap(ScenarioFile::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Scenario> read(Path file) {
    try {
      return parse(file.getFileName().toString(), Files.readString(file)).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * @throws ScenarioException if a line has no meaning
   */
  static List<Scenario> parse(String file, String text) {
    ScenarioFile parser = new ScenarioFile(file);
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      parser.parseLine(i + 1, lines.get(i).strip());
    }
    parser.endScenario(lines.size());
    if (parser.scenarios.isEmpty()) {
      throw new ScenarioException(file, 1, "no scenario");
    }
    return parser.scenarios;
  }

  private void parseLine(int number, String line) {
    if (line.startsWith("#")) {
      return;
    }
    if (line.startsWith(TITLE)) {
      endScenario(number);
      title = line.substring(TITLE.length()).strip();
      titleLine = number;
    } else if (line.isEmpty()) {
      endStep(number);
    } else if (title.isEmpty()) {
      throw new ScenarioException(file, number, "no scenario has begun: " + line);
    } else if (line.equals(THEN)) {
      if (actions.isEmpty() || expected != null) {
        throw new ScenarioException(file, number, THEN + " stands between actions and answers");
      }
      expected = new ArrayList<>();
    } else {
      addStatement(Statement.parse(file, number, line));
    }
  }

  private void addStatement(Statement statement) {
    List<Statement> answers = expected;
    if (answers != null) {
      answers.add(statement);
    } else if (statement.verb().equals("versions") || statement.verb().equals("setting")) {
      if (!actions.isEmpty() || !steps.isEmpty()) {
        throw statement.fault(statement.verb() + " stands before the first action");
      }
      addHeader(statement);
    } else {
      actions.add(statement);
    }
  }

  private void addHeader(Statement statement) {
    if (statement.verb().equals("setting")) {
      settings.add(statement);
      return;
    }
    List<String> named = statement.rest();
    if (versions != null || named.isEmpty() || !List.of("3", "4", "5").containsAll(named)) {
      throw statement.fault("versions are some of 3, 4 and 5, once");
    }
    versions = named.stream().map(Integer::valueOf).toList();
  }

  private void endStep(int number) {
    List<Statement> answers = expected;
    if (answers == null) {
      if (!actions.isEmpty()) {
        throw actions
            .get(0)
            .fault("no expected answer: " + THEN + " and packets, or 'nothing', are missing");
      }
      return;
    }
    if (answers.isEmpty()) {
      throw new ScenarioException(file, number, "no answers after " + THEN + "; say 'nothing'");
    }
    steps.add(new Scenario.Step(List.copyOf(actions), List.copyOf(answers)));
    actions.clear();
    expected = null;
  }

  private void endScenario(int number) {
    endStep(number);
    if (!title.isEmpty()) {
      if (steps.isEmpty()) {
        throw new ScenarioException(file, titleLine, "the scenario is empty");
      }
      scenarios.add(
          new Scenario(
              title,
              file,
              titleLine,
              versions == null ? List.of(5) : versions,
              List.copyOf(settings),
              List.copyOf(steps)));
    }
    title = "";
    versions = null;
    settings.clear();
    steps.clear();
  }
}
