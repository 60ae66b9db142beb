package io.fjordmq.perf.benchmark;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All benchmarks. {@code bin/perf.sh} reads their names from this file to list them. */
public final class Benchmarks {
  public static final List<Benchmark> ALL =
      List.of(
          new Benchmark(
              "cluster",
              "three nodes, 50 persistent pairs: idle CPU, CPU at 4 x rate and at rate, highest"
                  + " sustained rate",
              1,
              15,
              15,
              Map.of("rate", "20", "highest", "100", "clients", "one", "voters", "1,3"),
              false,
              ClusterBenchmark::run),
          new Benchmark(
              "fairness",
              "latency of other clients while one client publishes to topics that are expensive to"
                  + " match",
              3,
              15,
              5,
              Map.of(),
              false,
              FairnessBenchmark::run),
          new Benchmark(
              "idle-connections",
              "memory and accept rate of idle connections; new brokers for each run",
              5,
              3,
              10,
              Map.of("base", "1000", "total", "9000", "transports", "tcp"),
              true,
              IdleConnectionBenchmark::run),
          new Benchmark(
              "idle-ranges",
              "memory, threads and CPU of a node with additional ranges, without clients",
              3,
              60,
              60,
              Map.of("ranges", "99"),
              false,
              IdleRangesBenchmark::run),
          new Benchmark(
              "logins",
              "latency and CPU of a password login, for a user's first and second login",
              5,
              0,
              0,
              Map.of("users", "20"),
              false,
              LoginBenchmark::run),
          new Benchmark(
              "offline-queues",
              "many persistent clients fetch their queued messages at the same time",
              5,
              0,
              60,
              Map.of("sessions", "20", "queued", "5000"),
              true,
              OfflineQueueBenchmark::drain),
          new Benchmark(
              "range-throughput",
              "throughput with 1 to 16 fixed inbox ranges and with automatic splits",
              15,
              4,
              45,
              Map.of("ranges", "1,2,4,8,16", "pairs", "160"),
              false,
              RangeThroughputBenchmark::run),
          new Benchmark(
              "reconnect",
              "all persistent clients lose their connections and reconnect at the same time",
              5,
              0,
              60,
              Map.of("clients", "5000"),
              true,
              ReconnectBenchmark::run),
          new Benchmark(
              "retained-lookups",
              "query CPU while one client subscribes to many wildcard filters",
              3,
              0,
              0,
              Map.of("retained", "30000", "filters", "16384"),
              false,
              RetainedLookupsBenchmark::run),
          new Benchmark(
              "security-rules",
              "CPU per message with and without ten access rules",
              5,
              10,
              10,
              Map.of("rules", "10"),
              false,
              SecurityRulesBenchmark::run),
          new Benchmark(
              "sessions",
              "memory of sessions in one process with a heap of 4 GB",
              1,
              0,
              0,
              Map.of("count", "1000000", "kind", "clean"),
              false,
              SessionBenchmark::run),
          new Benchmark(
              "start-with-queues",
              "startup time of a node with queued messages, until the first CONNACK",
              5,
              0,
              0,
              Map.of("sessions", "20", "queued", "50000"),
              false,
              OfflineQueueBenchmark::start),
          new Benchmark(
              "tls-storm",
              "message latency and event loop CPU with and without a storm of new TLS clients",
              3,
              15,
              10,
              Map.of("rate", "500", "key", "ec"),
              false,
              TlsStormBenchmark::run));

  private Benchmarks() {}

  /** Returns the benchmark with this name. */
  public static Optional<Benchmark> find(String name) {
    return ALL.stream().filter(benchmark -> benchmark.name().equals(name)).findFirst();
  }
}
