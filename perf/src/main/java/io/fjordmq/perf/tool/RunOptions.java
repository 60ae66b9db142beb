package io.fjordmq.perf.tool;

import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.scenario.Scale;
import io.fjordmq.perf.scenario.UsageException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options of {@code bin/perf.sh run}, set once by the command line parser. {@code bin/perf.sh
 * --help} explains them.
 */
final class RunOptions {
  @Option(names = "--scale", paramLabel = "FACTOR")
  private double scale = 1;

  @Option(names = "--seconds", paramLabel = "N")
  private @Nullable Integer seconds;

  @Option(names = "--warm", paramLabel = "N")
  private @Nullable Integer warmSeconds;

  @Option(names = "--runs", paramLabel = "N")
  private @Nullable Integer runs;

  @Option(names = "--threads", paramLabel = "N")
  int threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--broker", paramLabel = "NAME", split = ",")
  List<String> brokers = new ArrayList<>();

  @Option(names = "--reuse")
  boolean reuse;

  @Option(names = "--hosts", paramLabel = "HOST:PORT", split = ",")
  private List<String> hosts = new ArrayList<>();

  @Option(names = "--remote")
  private boolean remote;

  @Option(names = "--pids", paramLabel = "PID", split = ",")
  List<Long> pids = new ArrayList<>();

  @Option(names = "--client-cert", paramLabel = "FILE")
  @Nullable Path clientCertificate;

  @Option(names = "--client-key", paramLabel = "FILE")
  @Nullable Path clientKey;

  @Option(names = "--without", paramLabel = "NAME", split = ",")
  private List<OptionalRequirement> without = new ArrayList<>();

  @Option(names = "--set", paramLabel = "NAME=VALUE")
  Map<String, String> parameters = new LinkedHashMap<>();

  @Option(names = "--out", paramLabel = "DIR")
  Path out = Path.of("perf-reports");

  /**
   * Checks the values and resolves paths.
   *
   * @param here directory that relative paths are resolved against
   * @throws UsageException if a value is invalid, or options contradict each other
   */
  void resolve(Path here) {
    requireAtLeast("--seconds", seconds, 1);
    requireAtLeast("--warm", warmSeconds, 0);
    requireAtLeast("--runs", runs, 1);
    requireAtLeast("--threads", threads, 1);
    scale();
    for (InetSocketAddress host : hosts()) {
      if (!host.getAddress().isLoopbackAddress() && !remote) {
        throw new UsageException(
            host + " is not this host; to run load against it anyway, add --remote");
      }
    }
    if (!hosts.isEmpty() && !(brokers.isEmpty() && !reuse)) {
      throw new UsageException(
          "--hosts cannot be combined with --broker or --reuse; either start a broker or use a"
              + " running one");
    }
    if (hosts.isEmpty() && !pids.isEmpty()) {
      throw new UsageException("--pids requires --hosts");
    }
    if ((clientCertificate == null) != (clientKey == null)) {
      throw new UsageException("--client-cert and --client-key must be set together");
    }
    if (brokers.isEmpty() && hosts.isEmpty()) {
      brokers.add(BrokerSpec.FJORDMQ);
    }
    brokers.replaceAll(broker -> resolveBroker(broker, here));
    out = here.resolve(out);
    clientCertificate = clientCertificate == null ? null : here.resolve(clientCertificate);
    clientKey = clientKey == null ? null : here.resolve(clientKey);
  }

  private static String resolveBroker(String broker, Path here) {
    if (broker.equals(BrokerSpec.FJORDMQ) || broker.equals(BrokerSpec.MOSQUITTO)) {
      return broker;
    }
    Path checkout = here.resolve(broker).normalize();
    if (!Files.isExecutable(checkout.resolve("bin/standalone.sh"))) {
      throw new UsageException(
          "--broker must be fjordmq, mosquitto or the directory of a FjordMQ checkout, not '"
              + broker
              + "'; use --hosts for a running broker");
    }
    return checkout.toString();
  }

  /**
   * Requires a minimum value of an option, which may be unset.
   *
   * @throws UsageException if the value is too small
   */
  static void requireAtLeast(String option, @Nullable Integer value, int min) {
    if (value != null && value < min) {
      throw new UsageException(
          option + " must be a whole number of at least " + min + ", not '" + value + "'");
    }
  }

  private static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    try {
      if (colon > 0) {
        String host = text.substring(0, colon).replaceAll("^\\[|]$", "");
        InetSocketAddress address =
            new InetSocketAddress(host, Integer.parseInt(text.substring(colon + 1)));
        if (address.isUnresolved()) {
          throw new UsageException("--hosts: cannot resolve '" + host + "'");
        }
        return address;
      }
    } catch (IllegalArgumentException e) {
      // The exception below reports it.
    }
    throw new UsageException(
        "--hosts must be a comma-separated list of host:port, not '" + text + "'");
  }

  Scale scale() {
    return new Scale(scale);
  }

  int seconds(int defaultValue) {
    return seconds == null ? defaultValue : seconds;
  }

  int warmSeconds(int defaultValue) {
    return warmSeconds == null ? defaultValue : warmSeconds;
  }

  int runs(int defaultValue) {
    return runs == null ? defaultValue : runs;
  }

  List<OptionalRequirement> without() {
    return List.copyOf(without);
  }

  /** Returns the addresses of the external broker; empty if the tool starts the brokers. */
  List<InetSocketAddress> hosts() {
    return hosts.stream().map(RunOptions::address).toList();
  }
}
