package io.fjordmq.perf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Measures the effect of a storm of new TLS clients on connected clients: latency of a light load
 * with and without the storm, alternating because hosts are noisy, and the CPU time per handshake
 * on the event loops, which is not affected by noise. The output also shows whether messages were
 * late because threads had no processor, which is caused by the host and not by the broker.
 *
 * <p>{@code TlsStorm CHECKOUT RUNS SECONDS RATE rsa|ec}; started by {@code bin/tls-storm.sh}.
 */
public final class TlsStorm {
  private static final int WARM_SECONDS = 10;
  private static final String EVENT_LOOPS = "mqtt-io";

  private TlsStorm() {}

  /** Runs the benchmark; see the class. */
  public static void main(String[] args) throws Exception {
    if (args.length != 5) {
      throw new IllegalArgumentException("usage: TlsStorm CHECKOUT RUNS SECONDS RATE rsa|ec");
    }
    int runs = Integer.parseInt(args[1]);
    int seconds = Integer.parseInt(args[2]);
    int rate = Integer.parseInt(args[3]);
    Path directory = Files.createTempDirectory("fjordmq-storm");
    System.out.println("data and logs below " + directory);
    int tlsPort = FreePorts.one();
    String listener = TlsSetup.listener(directory, tlsPort, args[4]);
    try (BrokerProcess broker =
            BrokerProcess.fjordmq(
                "fjordmq", Path.of(args[0]), directory.resolve("fjordmq"), listener);
        ClientLoops plain = new ClientLoops(broker.address(), 1);
        ClientLoops encrypted = new ClientLoops(TlsSetup.loopback(tlsPort), 1, TlsSetup.client());
        Probe probe = new Probe(plain)) {
      measure("warm-up", broker, probe, encrypted, WARM_SECONDS, rate);
      for (int run = 0; run < runs; run++) {
        measure("calm", broker, probe, encrypted, seconds, 0);
        measure("storm", broker, probe, encrypted, seconds, rate);
      }
    }
  }

  private static void measure(
      String name, BrokerProcess broker, Probe probe, ClientLoops encrypted, int seconds, int rate)
      throws Exception {
    long self = ProcessHandle.current().pid();
    final long before = ProcessUsage.threadCpuMicros(broker.pid(), EVENT_LOOPS);
    final long waited = ProcessUsage.threadWaitMicros(broker.pid(), EVENT_LOOPS);
    final long loadWaited = ProcessUsage.threadWaitMicros(self, ClientLoops.THREADS);
    try (ConnectStorm connectStorm = new ConnectStorm(encrypted, rate)) {
      Histogram latency = probe.measure(seconds);
      final long cpu = ProcessUsage.threadCpuMicros(broker.pid(), EVENT_LOOPS) - before;
      final long wait = ProcessUsage.threadWaitMicros(broker.pid(), EVENT_LOOPS) - waited;
      final long loadWait = ProcessUsage.threadWaitMicros(self, ClientLoops.THREADS) - loadWaited;
      System.out.printf(
          Locale.ROOT,
          "%-8s %4.0f clients/s, %d failed; messages: %d, p50 %.2f p90 %.2f p99 %.2f max %.2f ms;"
              + " event loops %.1f%% busy, %.1f%% without a processor, the load's %.1f%%%s%n",
          name,
          connectStorm.accepted() / (double) seconds,
          connectStorm.failed(),
          latency.getTotalCount(),
          latency.getValueAtPercentile(50) / 1000.0,
          latency.getValueAtPercentile(90) / 1000.0,
          latency.getValueAtPercentile(99) / 1000.0,
          latency.getMaxValue() / 1000.0,
          cpu / (seconds * 10_000.0),
          wait / (seconds * 10_000.0),
          loadWait / (seconds * 10_000.0),
          rate == 0
              ? ""
              : String.format(
                  Locale.ROOT, ", %d us per client", cpu / Math.max(1, connectStorm.accepted())));
    }
  }
}
