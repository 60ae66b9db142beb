package io.fjordmq.perf;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Measures the cost of security: a login with a password, the access rules per message, the memory
 * of an idle TLS connection. Each measurement alternates with its baseline; the output has all runs
 * and their medians, because hosts are noisy.
 *
 * <p>{@code SecurityCosts CHECKOUT RUNS SECONDS rules|logins|idle|all}; started by {@code
 * bin/security-costs.sh}.
 */
public final class SecurityCosts {
  private static final int LOGINS = 20;
  private static final int RULES = 10;
  private static final int IDLE_BASE = 500;
  private static final int IDLE_TOTAL = 4_500;

  private final Path checkout;
  private final Path directory;
  private final int runs;

  private SecurityCosts(Path checkout, Path directory, int runs) {
    this.checkout = checkout;
    this.directory = directory;
    this.runs = runs;
  }

  /** Runs the benchmark; see the class. */
  public static void main(String[] args) throws Exception {
    if (args.length != 4 || !List.of("rules", "logins", "idle", "all").contains(args[3])) {
      throw new IllegalArgumentException(
          "usage: SecurityCosts CHECKOUT RUNS SECONDS rules|logins|idle|all");
    }
    Path directory = Files.createTempDirectory("fjordmq-security");
    System.out.println("data and logs below " + directory);
    SecurityCosts costs = new SecurityCosts(Path.of(args[0]), directory, Integer.parseInt(args[1]));
    String what = args[3];
    if (what.equals("rules") || what.equals("all")) {
      costs.rules(Integer.parseInt(args[2]));
    }
    if (what.equals("logins") || what.equals("all")) {
      costs.logins();
    }
    if (what.equals("idle") || what.equals("all")) {
      costs.idle();
    }
  }

  /** Two brokers at the same time, with and without rules; the load alternates. */
  private void rules(int seconds) throws Exception {
    Path acl = directory.resolve("acl");
    Files.writeString(
        acl,
        IntStream.range(1, RULES)
                .mapToObj(i -> "topic readwrite elsewhere/" + i + "/#\n")
                .collect(Collectors.joining())
            + "topic readwrite perf/+/t\n");
    PairWork work = new PairWork("clean QoS 0, 32 B", 100, 100, 32, 0, false, seconds, seconds);
    List<double[]> results = new ArrayList<>();
    try (BrokerProcess open = broker("open", "");
        BrokerProcess ruled =
            broker("ruled", "securityConfig:\n  allowAnonymous: true\n  aclFile: " + acl + "\n")) {
      for (int run = 0; run < runs; run++) {
        double without = cpuMicros(work, open);
        double with = cpuMicros(work, ruled);
        results.add(new double[] {without, with, with - without});
      }
    }
    print("access rules: CPU us per message without, with " + RULES + ", difference", results);
  }

  private static double cpuMicros(PairWork work, BrokerProcess broker) throws Exception {
    try (ClientLoops loops = new ClientLoops(broker.address(), 2)) {
      return new PairLoad(work).run(loops, List.of(broker.pid())).cpuMicrosPerMessage();
    }
  }

  /** Each user logs in twice, one user after the other. */
  private void logins() throws Exception {
    Path passwords = directory.resolve("passwords");
    Logins.hash(checkout, passwords, LOGINS * (runs + 1));
    List<double[]> results = new ArrayList<>();
    try (BrokerProcess broker =
            broker(
                "logins",
                "securityConfig:\n  allowAnonymous: true\n  passwordFile: " + passwords + "\n");
        ClientLoops loops = new ClientLoops(broker.address(), 1)) {
      Logins logins = new Logins(loops, broker.pid());
      for (int run = 0; run <= runs; run++) {
        Logins.Cost first = logins.run(LOGINS * run, LOGINS);
        Logins.Cost again = logins.run(LOGINS * run, LOGINS);
        if (run > 0) { // the first run warms up
          results.add(
              new double[] {first.millis(), first.cpuMillis(), again.millis(), again.cpuMillis()});
        }
      }
    }
    print("login: ms until CONNACK and CPU ms, first login of a user; second login", results);
  }

  /** A new broker per measurement, because freed memory would be reused. */
  private void idle() throws Exception {
    List<double[]> results = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      results.add(new double[] {idle(run, false), idle(run, true)});
    }
    print("idle connection: KB without, with TLS", results);
  }

  private double idle(int run, boolean encrypted) throws Exception {
    int port = FreePorts.one();
    String name = "idle-" + run + "-" + encrypted;
    String listener = TlsSetup.listener(directory.resolve(name), port, "ec");
    try (BrokerProcess broker = broker(name, listener);
        ClientLoops loops = loops(encrypted ? TlsSetup.loopback(port) : null, broker)) {
      return new IdleLoad()
          .run(loops, broker.pid(), IDLE_BASE, IDLE_TOTAL)
          .kilobytesPerConnection();
    }
  }

  private static ClientLoops loops(@Nullable InetSocketAddress encrypted, BrokerProcess broker)
      throws Exception {
    return encrypted == null
        ? new ClientLoops(broker.address(), 1)
        : new ClientLoops(encrypted, 1, TlsSetup.client());
  }

  private BrokerProcess broker(String name, String more) throws Exception {
    return BrokerProcess.fjordmq(name, checkout, directory.resolve(name), more);
  }

  private static void print(String what, List<double[]> results) {
    System.out.println(what);
    results.forEach(one -> System.out.println("  run    " + text(one)));
    double[] medians = new double[results.get(0).length];
    for (int i = 0; i < medians.length; i++) {
      int column = i;
      double[] sorted = results.stream().mapToDouble(one -> one[column]).sorted().toArray();
      medians[i] = sorted[sorted.length / 2];
    }
    System.out.println("  median " + text(medians));
  }

  private static String text(double[] figures) {
    return Arrays.stream(figures)
        .mapToObj(figure -> String.format(Locale.ROOT, "%8.2f", figure))
        .collect(Collectors.joining(" "));
  }
}
