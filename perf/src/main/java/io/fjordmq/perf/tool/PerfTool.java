package io.fjordmq.perf.tool;

import io.fjordmq.perf.report.Comparison;
import io.fjordmq.perf.scenario.ScenarioException;
import io.fjordmq.perf.scenario.ScenarioFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The load tool. Exit codes: 0 success; 1 a broker misbehaved (messages lost, duplicated, out of
 * order, misrouted or not acknowledged, clients refused or disconnected, a broker process exited);
 * 2 some or all measurements could not be done.
 *
 * <p>{@code PerfTool CHECKOUT FOLDER COMMAND…}; started by {@code bin/perf.sh}. CHECKOUT contains
 * the broker and the scenarios, FOLDER is the user's working directory.
 */
public final class PerfTool {
  static final int FLAWLESS = 0;
  static final int FAULTS = 1;
  static final int NOT_DONE = 2;

  private static final Logger LOG = LoggerFactory.getLogger(PerfTool.class);

  private final Path checkout;
  private final Path here;

  PerfTool(Path checkout, Path here) {
    this.checkout = checkout;
    this.here = here;
  }

  /** Runs the load tool; see the class for its arguments. */
  public static void main(String[] args) {
    List<String> words = List.of(args);
    PerfTool tool = new PerfTool(Path.of(args[0]), Path.of(args[1]));
    int code = tool.run(words.subList(2, words.size()));
    // Netty's threads must not keep the process alive.
    System.exit(code);
  }

  /** Runs the command; returns the exit code. */
  int run(List<String> words) {
    String command = words.isEmpty() ? "" : words.get(0);
    try {
      switch (command) {
        case "run" -> {
          RunOptions options = RunOptions.parse(words.subList(1, words.size()), here);
          return new RunCommand(checkout, here, scenarios(), options, words).run();
        }
        case "compare" -> {
          if (words.size() != 3) {
            throw new UsageException("compare needs two files: A.json B.json");
          }
          System.out.print(Comparison.of(here.resolve(words.get(1)), here.resolve(words.get(2))));
          return FLAWLESS;
        }
        case "micro" -> new MicroCommand(checkout, here).run(words.subList(1, words.size()));
        case "--list", "list" ->
            System.out.print(
                new ScenarioList(scenarios(), limits -> LimitsHere.obstacle(limits, true)).text());
        default ->
            throw new UsageException(
                "unknown command '"
                    + command
                    + "'; must be run, compare, micro or --list; see --help");
      }
      return FLAWLESS;
    } catch (UsageException | ScenarioException | IOException e) {
      System.err.println("perf: " + e.getMessage());
      return NOT_DONE;
    } catch (Exception e) {
      LOG.error("Benchmark failed", e);
      return NOT_DONE;
    }
  }

  private ScenarioFiles scenarios() throws IOException {
    return new ScenarioFiles(checkout.resolve("perf/scenarios"));
  }
}
