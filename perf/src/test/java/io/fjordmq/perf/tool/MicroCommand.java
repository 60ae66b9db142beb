package io.fjordmq.perf.tool;

import io.fjordmq.perf.machine.HostInfo;
import io.fjordmq.perf.micro.MicroBenchmark;
import io.fjordmq.perf.micro.MicroRun;
import io.fjordmq.perf.scenario.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code bin/perf.sh micro}: runs microbenchmarks of parts of the broker. They are among the tests
 * because they replace the Raft log with a test double of the range tests.
 *
 * <p>{@code MicroCommand CHECKOUT DIRECTORY ARGUMENT…}, with CHECKOUT and DIRECTORY as for {@link
 * PerfTool}.
 */
@Command(name = "micro")
public final class MicroCommand implements Callable<Integer> {
  private final Path checkout;
  private final Path workingDirectory;

  @Parameters(paramLabel = "NAME")
  private LinkedHashSet<String> names = new LinkedHashSet<>();

  @Option(names = "--forks", paramLabel = "N")
  private int forks = 1;

  @Option(names = "--iterations", paramLabel = "N")
  private int iterations = 5;

  @Option(names = "--seconds", paramLabel = "N")
  private int seconds = 1;

  @Option(names = "--out", paramLabel = "DIR")
  private Path out = Path.of("perf-reports");

  MicroCommand(Path checkout, Path here) {
    this.checkout = checkout;
    this.workingDirectory = here;
  }

  /** Runs the benchmarks; see the class for its arguments. */
  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT); // reports are the same everywhere
    MicroCommand micro = new MicroCommand(Path.of(args[0]), Path.of(args[1]));
    System.exit(micro.run(List.of(args).subList(2, args.length)));
  }

  /** Runs the command; returns the exit code. */
  int run(List<String> words) {
    return PerfTool.execute(new CommandLine(this), words);
  }

  @Override
  public Integer call() throws Exception {
    RunOptions.requireAtLeast("--forks", forks, 1);
    RunOptions.requireAtLeast("--iterations", iterations, 1);
    RunOptions.requireAtLeast("--seconds", seconds, 1);
    List<MicroBenchmark> chosen =
        names.isEmpty()
            ? List.of(MicroBenchmark.values())
            : names.stream().map(MicroCommand::benchmark).toList();
    Path directory = Files.createDirectories(workingDirectory.resolve(out));
    Path json = directory.resolve("micro-" + ReportDirectory.timestamp() + ".json");
    System.out.println("commit: " + HostInfo.commit(checkout));
    HostInfo.all().forEach((fact, value) -> System.out.println(fact + ": " + value));
    new MicroRun(chosen, forks, iterations, seconds, json).start();
    System.out.println("JSON: " + json);
    return PerfTool.NO_FAULTS;
  }

  private static MicroBenchmark benchmark(String name) {
    return MicroBenchmark.withLabel(name)
        .orElseThrow(
            () ->
                new UsageException(
                    "unknown benchmark '"
                        + name
                        + "'; must be one of "
                        + Arrays.stream(MicroBenchmark.values())
                            .map(MicroBenchmark::label)
                            .collect(Collectors.joining(", "))));
  }
}
