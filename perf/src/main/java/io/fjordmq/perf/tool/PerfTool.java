package io.fjordmq.perf.tool;

import io.fjordmq.perf.report.Comparison;
import io.fjordmq.perf.scenario.ScenarioFiles;
import io.fjordmq.perf.scenario.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * The load tool. Exit codes: 0 for success; 1 if a broker had faults (messages lost, duplicated,
 * out of order, misrouted or not acknowledged, clients refused or disconnected, a broker process
 * exited); 2 if some or all measurements failed.
 *
 * <p>{@code PerfTool CHECKOUT DIRECTORY COMMAND…}; started by {@code bin/perf.sh}. CHECKOUT
 * contains the broker and the scenarios, DIRECTORY is the user's working directory.
 */
@Command(name = "perf")
public final class PerfTool {
  static final int NO_FAULTS = 0;
  static final int FAULTS = 1;
  static final int INCOMPLETE = 2;

  private static final Logger LOG = LoggerFactory.getLogger(PerfTool.class);

  private final Path checkout;
  private final Path workingDirectory;

  PerfTool(Path checkout, Path workingDirectory) {
    this.checkout = checkout;
    this.workingDirectory = workingDirectory;
  }

  /** Runs the load tool; the documentation of the class describes the arguments. */
  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT); // reports must not depend on the locale
    List<String> words = List.of(args);
    PerfTool tool = new PerfTool(Path.of(args[0]), Path.of(args[1]));
    int code = tool.run(words.subList(2, words.size()));
    // Netty's threads must not keep the process alive.
    System.exit(code);
  }

  /** Runs the command; returns the exit code. */
  int run(List<String> words) {
    RunCommand run = new RunCommand(checkout, workingDirectory, words);
    TargetsCommand targets = new TargetsCommand(checkout, workingDirectory, words);
    return execute(new CommandLine(this).addSubcommand(run).addSubcommand(targets), words);
  }

  /** Runs a command line with the exit codes of the tool. */
  static int execute(CommandLine line, List<String> words) {
    return line.setErr(new PrintWriter(System.err, true))
        .setParameterExceptionHandler(
            (error, args) -> printError(error.getMessage() + "; see --help"))
        .setExecutionExceptionHandler((error, command, parsed) -> handleException(error))
        .execute(words.toArray(String[]::new));
  }

  private static int handleException(Exception error) {
    if (error instanceof UsageException || error instanceof IOException) {
      return printError(String.valueOf(error.getMessage()));
    }
    LOG.error("Benchmark failed", error);
    return INCOMPLETE;
  }

  private static int printError(String message) {
    System.err.println("perf: " + message);
    return INCOMPLETE;
  }

  @Command(name = "compare")
  int compare(
      @Parameters(paramLabel = "A.json") Path before, @Parameters(paramLabel = "B.json") Path after)
      throws IOException {
    System.out.print(
        Comparison.of(workingDirectory.resolve(before), workingDirectory.resolve(after)));
    return NO_FAULTS;
  }

  @Command(name = "list")
  int list() throws IOException {
    ScenarioFiles files = new ScenarioFiles(checkout.resolve("perf/scenarios"));
    System.out.print(
        new ScenarioList(files, limits -> HostResources.obstacle(limits, true)).text());
    return NO_FAULTS;
  }
}
