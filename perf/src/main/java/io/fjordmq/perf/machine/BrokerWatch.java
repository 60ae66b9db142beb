package io.fjordmq.perf.machine;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Observes a broker from outside: reads the resource usage of its processes from {@code /proc}, and
 * the number of ranges that its nodes lead from their metrics. Must be used by one thread at a
 * time.
 */
public final class BrokerWatch {
  private static final String LED = "fjordmq_ranges_led{";
  private static final Duration TIMEOUT = Duration.ofSeconds(4);

  private final List<Long> pids;
  private final List<URI> metrics;
  private final Supplier<Optional<ServiceUsage>> service;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  /**
   * @param pids process ids of its nodes; empty if they run on other hosts
   * @param metrics Prometheus metrics endpoints of its nodes; empty if there are none
   */
  public BrokerWatch(List<Long> pids, List<URI> metrics) {
    this(pids, metrics, Optional::empty);
  }

  /**
   * @param pids process ids of its nodes; empty if they run on other hosts
   * @param metrics Prometheus metrics endpoints of its nodes; empty if there are none
   * @param service observes the service that knows its users
   */
  public BrokerWatch(List<Long> pids, List<URI> metrics, Supplier<Optional<ServiceUsage>> service) {
    this.service = service;
    this.pids = List.copyOf(pids);
    this.metrics = List.copyOf(metrics);
  }

  /** Returns whether CPU and memory of the broker can be measured. */
  public boolean seesProcesses() {
    return !pids.isEmpty();
  }

  /** Returns the distinct programs of its processes; blocks. */
  public List<String> programs() throws InterruptedException {
    Set<String> programs = new LinkedHashSet<>();
    for (long pid : pids) {
      programs.add(Program.of(pid));
    }
    return List.copyOf(programs);
  }

  /**
   * Returns the resource usage of all nodes together.
   *
   * @throws java.io.UncheckedIOException if a process has exited
   */
  public ProcessUsage usage() {
    return ProcessUsage.of(pids);
  }

  /**
   * Returns what the service that knows the users of the broker has done so far; empty if there is
   * none, or if it does not respond. Blocks.
   */
  public Optional<ServiceUsage> serviceUsage() {
    return service.get();
  }

  /**
   * Returns the number of ranges that each node leads, in order; empty unless every node reports
   * it. Does not block, because a slow node must not delay the other measurements.
   */
  public CompletableFuture<List<Integer>> rangesLed() {
    return sums(LED);
  }

  /**
   * Returns the number of ranges of one store that each node leads: {@code dist}, {@code inbox} or
   * {@code retain}.
   */
  public CompletableFuture<List<Integer>> rangesLed(String store) {
    return sums(LED + "store=\"" + store + "\"");
  }

  private CompletableFuture<List<Integer>> sums(String begin) {
    List<CompletableFuture<Integer>> nodes =
        metrics.stream().map(page -> sum(page, begin)).toList();
    return CompletableFuture.allOf(nodes.toArray(CompletableFuture[]::new))
        .thenApply(all -> nodes.stream().map(CompletableFuture::join).toList())
        // A node that does not respond must not make the sample fail.
        .exceptionally(error -> List.of());
  }

  private CompletableFuture<Integer> sum(URI page, String begin) {
    HttpRequest request = HttpRequest.newBuilder(page).timeout(TIMEOUT).build();
    return http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
        .thenApply(response -> sum(response.body(), begin));
  }

  private static int sum(String text, String begin) {
    return (int)
        text.lines()
            .filter(line -> line.startsWith(begin))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf('}') + 1)))
            .sum();
  }
}
