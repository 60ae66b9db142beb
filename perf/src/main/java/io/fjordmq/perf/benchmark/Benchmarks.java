package io.fjordmq.perf.benchmark;

import static java.util.Map.entry;

import io.fjordmq.perf.Resources;
import io.fjordmq.perf.benchmark.Benchmark.Body;
import io.fjordmq.perf.scenario.YamlRecords;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** All benchmarks. The file {@code benchmarks.yml} describes them. */
public final class Benchmarks {
  private static final String FILE = "benchmarks.yml";

  private static final Map<String, Body> BODIES =
      Map.ofEntries(
          entry("api-load", ApiLoadBenchmark::run),
          entry("api-pages", ApiPagesBenchmark::run),
          entry("cluster", ClusterBenchmark::run),
          entry("cold-start", ColdStartBenchmark::run),
          entry("connects", ConnectBenchmark::run),
          entry("fairness", FairnessBenchmark::run),
          entry("idle-connections", IdleConnectionBenchmark::run),
          entry("idle-ranges", IdleRangesBenchmark::run),
          entry("logins", LoginBenchmark::run),
          entry("offline-queues", OfflineQueueBenchmark::drain),
          entry("provider-outage", ProviderOutageBenchmark::run),
          entry("range-throughput", RangeThroughputBenchmark::run),
          entry("reconnect", ReconnectBenchmark::run),
          entry("retained-lookups", RetainedMessagesBenchmark::lookUp),
          entry("retained-set", RetainedMessagesBenchmark::set),
          entry("security-rules", SecurityRulesBenchmark::run),
          entry("sessions", SessionBenchmark::run),
          entry("start-with-queues", OfflineQueueBenchmark::start),
          entry("tls-storm", TlsStormBenchmark::run));

  /** All benchmarks, in the order of the file. */
  public static final List<Benchmark> ALL = read();

  /** A benchmark as described in the file. */
  private record Description(
      String summary,
      int runs,
      int seconds,
      int warmSeconds,
      @Nullable Map<String, String> set,
      boolean comparesBrokers) {
    Benchmark benchmark(String name) {
      Body body = Objects.requireNonNull(BODIES.get(name), name);
      Map<String, String> parameters = set == null ? Map.of() : set;
      return new Benchmark(
          name, summary, runs, seconds, warmSeconds, parameters, comparesBrokers, body);
    }
  }

  private Benchmarks() {}

  private static List<Benchmark> read() {
    String text = Resources.text(Benchmarks.class, FILE);
    return YamlRecords.read(text, FILE, Description.class).entrySet().stream()
        .map(entry -> entry.getValue().benchmark(entry.getKey()))
        .toList();
  }

  /** Returns the benchmark with the given name. */
  public static Optional<Benchmark> find(String name) {
    return ALL.stream().filter(benchmark -> benchmark.name().equals(name)).findFirst();
  }
}
