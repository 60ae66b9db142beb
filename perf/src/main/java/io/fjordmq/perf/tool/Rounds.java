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
 * The runs of all brokers, in turn, as far as they can be done: those that are over count, whatever
 * happens to a later one.
 */
final class Rounds {
  private final RunOptions options;
  private final LoadRun load;
  private final Brokers brokers;
  private final List<RunResult> results = new ArrayList<>();
  private final Map<String, String> programs = new LinkedHashMap<>();
  private @Nullable String failed;

  /**
   * @param checkout whose broker is FjordMQ
   * @param scenario as it is run
   * @param load does it
   */
  Rounds(Path checkout, RunOptions options, Scenario scenario, LoadRun load) {
    this.options = options;
    this.brokers = new Brokers(checkout, scenario);
    this.load = load;
  }

  /**
   * Does them, up to the first that fails.
   *
   * @param work for what brokers write
   * @throws Exception if the very first one failed, or somebody broke it off
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
              "not all was done: run %d of %d of %s failed: %s"
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

  /** The names of the brokers of one round; one for a given broker. */
  private List<String> names() {
    return options.hosts().isEmpty() ? options.brokers() : List.of("given");
  }

  private RunResult one(String name, Path directory) throws Exception {
    System.out.println();
    boolean given = !options.hosts().isEmpty();
    System.out.println(given ? "the given broker" : "starting " + name);
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

  /** Nothing is left of a run that somebody broke off. */
  private void breakOff(WorkFolder work) {
    try {
      brokers.endForGood();
    } catch (UncheckedIOException e) {
      System.err.println("perf: " + e.getMessage());
    }
    try {
      work.delete();
    } catch (IOException e) {
      System.err.println("perf: not everything could be removed below " + work.path() + ": " + e);
    }
  }

  /** Whether somebody did; then nothing is to be told, and what was written is deleted. */
  boolean isBrokenOff() {
    return brokers.isOver();
  }

  /** Of those that are over. */
  List<RunResult> results() {
    return results;
  }

  /** What each broker runs on, as far as it can be seen, by its name. */
  Map<String, String> programs() {
    return programs;
  }

  /** Which one failed, and why; null if all were done. */
  @Nullable String failed() {
    return failed;
  }
}
