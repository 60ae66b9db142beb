package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.scenario.UsageException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A benchmark: a scenario implemented in Java.
 *
 * @param name as given to {@code bin/perf.sh run}
 * @param summary one-line description
 * @param runs default number of runs
 * @param seconds default duration of each measurement; 0 if the amount of work determines it
 * @param warmSeconds default warm-up time
 * @param parameters default value of each parameter that {@code --set} can change
 * @param comparesBrokers whether the benchmark can run with brokers other than FjordMQ
 * @param body runs the measurements
 */
public record Benchmark(
    String name,
    String summary,
    int runs,
    int seconds,
    int warmSeconds,
    Map<String, String> parameters,
    boolean comparesBrokers,
    Body body) {
  /** Runs a benchmark; see {@link BenchmarkRun}. */
  public interface Body {
    void run(BenchmarkRun run) throws Exception;
  }

  /**
   * Returns the values of all parameters: the given ones, and the defaults of the others.
   *
   * @throws UsageException if a parameter is unknown
   */
  public Map<String, String> parametersWith(Map<String, String> values) {
    Map<String, String> all = new TreeMap<>(parameters);
    values.forEach(
        (key, value) -> {
          if (!parameters.containsKey(key)) {
            throw new UsageException(
                "--set: %s has no parameter '%s'; its parameters and their defaults: %s"
                    .formatted(name, key, parametersText()));
          }
          all.put(key, value);
        });
    return all;
  }

  /** Returns the parameters as {@code key=value key=value}, or {@code none}. */
  public String parametersText() {
    return parameters.isEmpty()
        ? "none"
        : new TreeMap<>(parameters)
            .entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(" "));
  }
}
