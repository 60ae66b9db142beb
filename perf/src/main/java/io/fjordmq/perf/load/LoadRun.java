package io.fjordmq.perf.load;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.load.Sample.Phase;
import io.fjordmq.perf.load.Sampler.Reading;
import io.fjordmq.perf.machine.BrokerWatch;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.Scenario;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs one scenario against one broker: connects all clients, warms up, measures, stops, and waits
 * for outstanding messages.
 *
 * @param warmSeconds duration of the warm-up before the measured period; 0 for none
 * @param seconds duration of the measured period; for connection scenarios, how long connections
 *     are held
 */
public record LoadRun(Scenario scenario, int warmSeconds, int seconds, Observer observer) {
  /** Follows a run. Called on the thread of the run. */
  @FunctionalInterface
  public interface Observer {
    /** Receives a line for the user every few seconds. */
    void onProgress(String line);

    /** Called when the measured period begins. */
    default void onMeasuring() {}
  }

  /** Time without progress after which the run no longer waits for outstanding messages. */
  private static final int QUIET_TIMEOUT_SECONDS = 8;

  private static final int DRAIN_SECONDS = 120;
  private static final int QUIET_INTERVAL_SECONDS = 2;
  private static final int PROGRESS_INTERVAL_SECONDS = 5;
  private static final int POLL_MILLIS = 20;

  /**
   * Runs the scenario.
   *
   * @param run unique among the runs against the same broker
   * @param keepsRunning whether the broker keeps running, so that persistent sessions must be
   *     removed
   */
  public RunResult run(
      String broker, ClientLoops loops, BrokerWatch watch, int run, boolean keepsRunning)
      throws Exception {
    try (Fleet fleet = new Fleet(scenario, loops, run)) {
      if (!keepsRunning || !scenario.connections().persistent()) {
        return run(broker, fleet, watch);
      }
      try (SessionCleanup sessionCleanup =
          new SessionCleanup(scenario, loops, fleet, observer::onProgress)) {
        RunResult result;
        try {
          result = run(broker, fleet, watch);
        } catch (Exception e) {
          sessionCleanup.run().forEach(observer::onProgress);
          throw e;
        }
        return result.with(List.of(), sessionCleanup.run());
      }
    }
  }

  private RunResult run(String broker, Fleet fleet, BrokerWatch watch) throws Exception {
    Sampler sampler = sampler(fleet, watch);
    Findings findings = new Findings(scenario, fleet, sampler, watch);
    try {
      connect(fleet, sampler, findings);
      if (scenario.flow() == Flow.CONNECTIONS) {
        measure(sampler, findings);
      } else if (fleet.connectedClients().publishers() > 0) {
        load(fleet, sampler, findings);
      }
    } catch (UncheckedIOException e) {
      findings.aborted("the broker exited: " + e.getMessage(), sampler.last());
      fleet.stop();
      awaitQuiescence(fleet); // other nodes may still deliver messages
    }
    fleet.stop();
    return findings.result(broker);
  }

  private static Sampler sampler(Fleet fleet, BrokerWatch watch) throws IOException {
    try {
      return new Sampler(fleet, watch);
    } catch (UncheckedIOException e) {
      throw new IOException("the broker exited before clients connected: " + e.getMessage(), e);
    }
  }

  private void connect(Fleet fleet, Sampler sampler, Findings findings)
      throws InterruptedException {
    Reading before = sampler.last();
    CompletableFuture<Void> connected = new CompletableFuture<>();
    Thread connecting = new Thread(() -> connect(fleet, connected), "arrivals");
    connecting.start();
    while (connecting.isAlive()) {
      printProgress(sampler.samples().size(), sampler.second(connecting));
    }
    connected.join();
    sampler.resume();
    findings.connected(before, sampler.last());
  }

  private static void connect(Fleet fleet, CompletableFuture<Void> connected) {
    try {
      fleet.connect();
      connected.complete(null);
    } catch (InterruptedException | RuntimeException e) {
      connected.completeExceptionally(e);
    }
  }

  private void measure(Sampler sampler, Findings findings) throws InterruptedException {
    findings.periodStarted(sampler.last());
    observer.onMeasuring();
    for (int i = 0; i < seconds; i++) {
      printProgress(i, sampler.second(Phase.COUNT));
    }
    findings.periodEnded(sampler.last());
  }

  private void load(Fleet fleet, Sampler sampler, Findings findings) throws InterruptedException {
    fleet.start(
        Schedule.of(
            System.nanoTime(),
            warmSeconds,
            seconds,
            scenario.traffic().perSecond(),
            scenario.clients().publishers()));
    for (int i = 0; i < warmSeconds; i++) {
      printProgress(i, sampler.second(Phase.WARM));
    }
    measure(sampler, findings);
    drain(fleet, sampler);
  }

  private void drain(Fleet fleet, Sampler sampler) throws InterruptedException {
    ConnectedClients connectedClients = fleet.connectedClients();
    // Usually, the last messages arrive within milliseconds. Then there is no need for a second in
    // which they arrive, before the one in which duplicates could arrive.
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    while (System.nanoTime() - end < 0 && fleet.pending(connectedClients, System.nanoTime()) > 0) {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    sampler.resume();
    int quietSeconds = 0;
    long before = Long.MAX_VALUE;
    for (int i = 0; i < DRAIN_SECONDS && quietSeconds < QUIET_TIMEOUT_SECONDS; i++) {
      long pending = fleet.pending(connectedClients, System.nanoTime());
      quietSeconds = pending < before ? 0 : quietSeconds + 1;
      before = pending;
      printProgress(i, sampler.second(Phase.DRAIN));
      if (pending == 0) {
        return; // the sample above took one more second, in which duplicates could arrive
      }
    }
  }

  /**
   * Waits until no more messages arrive. Takes no samples, because the broker's process has exited.
   */
  private static void awaitQuiescence(Fleet fleet) throws InterruptedException {
    long before = -1;
    long received = fleet.received();
    for (int waited = 0;
        received > before && waited < DRAIN_SECONDS;
        waited += QUIET_INTERVAL_SECONDS) {
      TimeUnit.SECONDS.sleep(QUIET_INTERVAL_SECONDS);
      before = received;
      received = fleet.received();
    }
  }

  private void printProgress(int second, Sample sample) {
    if (second % PROGRESS_INTERVAL_SECONDS == 0 || seconds < PROGRESS_INTERVAL_SECONDS) {
      observer.onProgress(line(sample));
    }
  }

  private static String line(Sample sample) {
    StringBuilder out = new StringBuilder();
    out.append(
        "%5.0f s  %-7s %,8.0f clients"
            .formatted(
                sample.second(),
                sample.phase().name().toLowerCase(Locale.ROOT),
                sample.value(Series.CONNECTED).orElse(0)));
    append(out, sample, Series.SENT, "  sent %,.0f/s");
    append(out, sample, Series.RECEIVED, "  delivered %,.0f/s");
    append(out, sample, Series.MEAN_MS, "  mean %.2f");
    append(out, sample, Series.P99_MS, "  p99 %.2f");
    append(out, sample, Series.MAX_MS, "  max %.2f ms");
    append(out, sample, Series.CONNECT_MEAN_MS, "  CONNECT mean %.2f");
    append(out, sample, Series.CONNECT_P99_MS, "  p99 %.2f ms");
    append(out, sample, Series.CPU_PERCENT, "  CPU %.0f %%");
    append(out, sample, Series.MEMORY_MB, "  %,.0f MB");
    append(out, sample, Series.RANGES, "  %.0f ranges, led");
    for (Series node : Series.LED) {
      append(out, sample, node, " %.0f");
    }
    return out.toString();
  }

  private static void append(StringBuilder out, Sample sample, Series series, String format) {
    sample.value(series).ifPresent(value -> out.append(format.formatted(value)));
  }
}
