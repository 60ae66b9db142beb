package io.fjordmq.perf.tool;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.load.LoadRun;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.scenario.Scenario;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Runs the load against each broker in turn. If a run fails, the results of the completed runs
 * remain.
 */
final class Rounds {
  private final RunOptions options;
  private final LoadRun load;
  private final Brokers brokers;
  private final List<RunResult> results = new ArrayList<>();
  private final Map<String, String> programs = new LinkedHashMap<>();
  private @Nullable String failed;

  /**
   * @param checkout checkout of FjordMQ to start brokers from
   * @param scenario after scaling
   * @param load runs the scenario
   */
  Rounds(Path checkout, RunOptions options, Scenario scenario, LoadRun load) {
    this.options = options;
    this.brokers = new Brokers(checkout, scenario);
    this.load = load;
  }

  /**
   * Runs all rounds, up to the first failure.
   *
   * @param work directory for the brokers' files
   * @throws Exception if the first run failed, or the user interrupted the tool
   */
  void run(WorkFolder work) throws Exception {
    Thread ending = new Thread(() -> breakOff(work), "ending");
    Runtime.getRuntime().addShutdownHook(ending);
    try {
      oneAfterTheOther(work);
    } finally {
      brokers.close();
      if (!brokers.isOver()) {
        Runtime.getRuntime().removeShutdownHook(ending);
      }
    }
  }

  private void oneAfterTheOther(WorkFolder work) throws Exception {
    for (int run = 0; run < options.runs(); run++) {
      for (String name : names()) {
        try {
          results.add(one(name, work.path().resolve(name + "-" + run)));
        } catch (InterruptedException e) {
          throw e;
        } catch (Exception e) {
          if (results.isEmpty() || brokers.isOver()) {
            throw e;
          }
          failed =
              "incomplete: run %d of %d of %s failed: %s"
                  .formatted(run + 1, options.runs(), name, message(e));
          return;
        }
        if (brokers.isOver()) {
          throw new UsageException("interrupted");
        }
      }
    }
  }

  private static String message(Exception e) {
    String message = e.getMessage();
    return message == null ? e.toString() : message;
  }

  /** The names of the brokers of one round; a single name for a given broker. */
  private List<String> names() {
    return options.hosts().isEmpty() ? options.brokers() : List.of("given");
  }

  private RunResult one(String name, Path directory) throws Exception {
    System.out.println();
    boolean given = !options.hosts().isEmpty();
    System.out.println(given ? "using the given broker" : "starting " + name);
    try (Target target = given ? brokers.given(options) : brokers.start(name, directory);
        ClientLoops loops =
            new ClientLoops(
                target.addresses(), options.threads(), target.tls(), options.remote())) {
      if (target.watch().seesProcesses() && !programs.containsKey(target.name())) {
        programs.put(target.name(), String.join("; ", target.watch().programs()));
      }
      RunResult result =
          load.run(
              target.name(),
              loops,
              target.watch(),
              ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE),
              target.staying());
      return target.limits().explain(result);
    }
  }

  /** Cleans up after an interrupted run. */
  private void breakOff(WorkFolder work) {
    try {
      brokers.shutdown();
    } catch (UncheckedIOException e) {
      System.err.println("perf: " + e.getMessage());
    }
    try {
      work.delete();
    } catch (IOException e) {
      System.err.println("perf: failed to remove all files below " + work.path() + ": " + e);
    }
  }

  /** True after an interruption: nothing is reported and all files are deleted. */
  boolean isInterrupted() {
    return brokers.isOver();
  }

  /** The results of the completed runs. */
  List<RunResult> results() {
    return results;
  }

  /** The program of each broker, where it can be determined, by the name of the broker. */
  Map<String, String> programs() {
    return programs;
  }

  /** Which run failed, and why; null if all succeeded. */
  @Nullable String failed() {
    return failed;
  }
}
