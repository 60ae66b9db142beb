package io.fjordmq.perf.tool;

import io.fjordmq.perf.machine.MachineFacts;
import io.fjordmq.perf.micro.MicroBenchmark;
import io.fjordmq.perf.micro.MicroRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.openjdk.jmh.runner.RunnerException;

/** {@code bin/perf.sh micro}: runs microbenchmarks of parts of the broker. */
final class MicroCommand {
  private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  private final Path checkout;
  private final Path here;

  MicroCommand(Path checkout, Path here) {
    this.checkout = checkout;
    this.here = here;
  }

  void run(List<String> words) throws IOException, InterruptedException, RunnerException {
    MicroRun run = parse(words);
    Files.createDirectories(run.json().getParent());
    System.out.println("commit: " + MachineFacts.commit(checkout));
    MachineFacts.all().forEach((fact, value) -> System.out.println(fact + ": " + value));
    run.start();
    System.out.println("JSON: " + run.json());
  }

  /**
   * @throws UsageException if the arguments are invalid
   */
  MicroRun parse(List<String> words) {
    Set<MicroBenchmark> named = new LinkedHashSet<>();
    int forks = 1;
    int iterations = 5;
    int seconds = 1;
    Path out = here.resolve("perf-reports");
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      switch (word) {
        case "--forks" -> forks = number(word, value(words, ++i));
        case "--iterations" -> iterations = number(word, value(words, ++i));
        case "--seconds" -> seconds = number(word, value(words, ++i));
        case "--out" -> out = here.resolve(value(words, ++i));
        default -> named.add(benchmark(word));
      }
    }
    return new MicroRun(
        named.isEmpty() ? List.of(MicroBenchmark.values()) : List.copyOf(named),
        forks,
        iterations,
        seconds,
        out.resolve("micro-" + LocalDateTime.now().format(STAMP) + ".json"));
  }

  private static MicroBenchmark benchmark(String word) {
    return MicroBenchmark.labelled(word)
        .orElseThrow(
            () ->
                new UsageException(
                    "unknown benchmark or option '"
                        + word
                        + "'; must be one of "
                        + Arrays.stream(MicroBenchmark.values())
                            .map(MicroBenchmark::label)
                            .collect(Collectors.joining(", "))
                        + ", or --forks, --iterations, --seconds, --out"));
  }

  private static String value(List<String> words, int at) {
    if (at == words.size()) {
      throw new UsageException(words.get(at - 1) + " needs a value");
    }
    return words.get(at);
  }

  private static int number(String option, String text) {
    try {
      int number = Integer.parseInt(text);
      if (number >= 1) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw new UsageException(option + " must be a whole number of at least 1, not '" + text + "'");
  }
}
