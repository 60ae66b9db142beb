package io.fjordmq.perf;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Measures how long other clients wait while one client keeps its event loop busy with {@link
 * CostlyTopics}: PUBACK and CONNACK latency with and without it, alternating.
 *
 * <p>{@code EventLoopFairness CHECKOUT|PORT RUNS SECONDS}; started by {@code bin/fairness.sh}. A
 * PORT is that of a running broker on 127.0.0.1.
 */
public final class EventLoopFairness {
  private static final int WARM_SECONDS = 5;

  /** Without the rate limit, which would slow the expensive client down. */
  private static final String UNLIMITED = "sessionConfig:\n  readBytesPerSecond: 0\n";

  private EventLoopFairness() {}

  /** Runs the benchmark; see the class. */
  public static void main(String[] args) throws Exception {
    if (args.length != 3) {
      throw new IllegalArgumentException("usage: EventLoopFairness CHECKOUT|PORT RUNS SECONDS");
    }
    int runs = Integer.parseInt(args[1]);
    int seconds = Integer.parseInt(args[2]);
    if (args[0].matches("[0-9]+")) {
      measure(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), runs, seconds);
      return;
    }
    Path directory = Files.createTempDirectory("fjordmq-fairness");
    System.out.println("data and logs below " + directory);
    for (String settings : new String[] {"", UNLIMITED}) {
      String name = settings.isEmpty() ? "default-rate" : "unlimited-rate";
      System.out.println(name);
      try (BrokerProcess broker =
          BrokerProcess.fjordmq(name, Path.of(args[0]), directory.resolve(name), settings)) {
        measure(broker.address(), runs, seconds);
      }
    }
  }

  private static void measure(InetSocketAddress broker, int runs, int seconds) throws Exception {
    try (ClientLoops loops = new ClientLoops(broker, 1);
        ClientLoops busy = new ClientLoops(broker, 1);
        Bystanders bystanders = new Bystanders(loops)) {
      bystanders.measure(WARM_SECONDS);
      try (CostlyTopics warmUp = new CostlyTopics(busy)) {
        warmUp.start();
        bystanders.measure(WARM_SECONDS);
      }
      for (int run = 0; run < runs; run++) {
        print("alone", bystanders.measure(seconds), "");
        try (CostlyTopics costly = new CostlyTopics(busy)) {
          costly.start();
          Bystanders.Times times = bystanders.measure(seconds);
          print("busy", times, ", " + costly.handled() / seconds + " costly publishes/s");
        }
      }
    }
  }

  private static void print(String name, Bystanders.Times times, String more) {
    System.out.printf(
        Locale.ROOT,
        "%-6s PUBACK %s; CONNACK %s%s%n",
        name,
        text(times.pubacks()),
        text(times.connects()),
        more);
  }

  private static String text(Histogram micros) {
    return String.format(
        Locale.ROOT,
        "p50 %.2f p99 %.2f max %.2f ms (%d)",
        micros.getValueAtPercentile(50) / 1000.0,
        micros.getValueAtPercentile(99) / 1000.0,
        micros.getMaxValue() / 1000.0,
        micros.getTotalCount());
  }
}
