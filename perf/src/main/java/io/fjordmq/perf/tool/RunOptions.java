package io.fjordmq.perf.tool;

import io.fjordmq.perf.scenario.Scale;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The options of {@code bin/perf.sh run}. */
record RunOptions(
    String scenario,
    Scale scale,
    int seconds,
    int warmSeconds,
    int runs,
    int threads,
    List<String> brokers,
    List<InetSocketAddress> hosts,
    boolean remote,
    List<Long> pids,
    @Nullable Path clientCertificate,
    @Nullable Path clientKey,
    List<Omission> without,
    @Nullable Path out) {
  static final String FJORDMQ = "fjordmq";
  static final String MOSQUITTO = "mosquitto";

  /** For {@link #seconds} and {@link #warmSeconds}: use the scenario's value. */
  static final int UNSAID = -1;

  private static final Set<String> FLAGS = Set.of("--remote");
  private static final Set<String> WITH_VALUE =
      Set.of(
          "--scale",
          "--seconds",
          "--warm",
          "--runs",
          "--threads",
          "--broker",
          "--hosts",
          "--pids",
          "--client-cert",
          "--client-key",
          "--without",
          "--out");

  /**
   * @param here base of relative paths
   * @throws UsageException if the arguments are invalid
   */
  static RunOptions parse(List<String> words, Path here) {
    List<String> names = new ArrayList<>();
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (FLAGS.contains(word)) {
        values.put(word, "yes");
      } else if (WITH_VALUE.contains(word)) {
        if (++i == words.size()) {
          throw new UsageException(word + " needs a value");
        }
        // An option that takes a list may be repeated.
        values.merge(word, words.get(i), (before, more) -> before + "," + more);
      } else if (word.startsWith("-")) {
        throw new UsageException("unknown option '" + word + "'; see --help");
      } else {
        names.add(word);
      }
    }
    if (names.size() != 1) {
      throw new UsageException(
          "exactly one scenario is required, not " + names.size() + "; see --list");
    }
    return new Values(values, here).options(names.get(0));
  }

  /** Values by option. */
  private record Values(Map<String, String> values, Path here) {
    RunOptions options(String name) {
      List<String> brokers = list("--broker");
      List<InetSocketAddress> hosts = list("--hosts").stream().map(Values::address).toList();
      for (String broker : brokers) {
        if (!broker.equals(FJORDMQ) && !broker.equals(MOSQUITTO)) {
          throw new UsageException(
              "--broker must be fjordmq or mosquitto, not '"
                  + broker
                  + "'; use --hosts for a running broker");
        }
      }
      for (InetSocketAddress host : hosts) {
        if (!host.getAddress().isLoopbackAddress() && !values.containsKey("--remote")) {
          throw new UsageException(host + " is not this host; to load it anyway, add --remote");
        }
      }
      if (!hosts.isEmpty() && !brokers.isEmpty()) {
        throw new UsageException(
            "--broker and --hosts exclude each other: start a broker or use a running one");
      }
      if (hosts.isEmpty() && values.containsKey("--pids")) {
        throw new UsageException("--pids requires --hosts");
      }
      Path certificate = file("--client-cert");
      Path key = file("--client-key");
      if ((certificate == null) != (key == null)) {
        throw new UsageException("--client-cert and --client-key must be set together");
      }
      return new RunOptions(
          name,
          new Scale(decimal("--scale", 1)),
          number("--seconds", UNSAID, 1),
          number("--warm", UNSAID, 0),
          number("--runs", 1, 1),
          number("--threads", Runtime.getRuntime().availableProcessors(), 1),
          brokers.isEmpty() && hosts.isEmpty() ? List.of(FJORDMQ) : brokers,
          hosts,
          values.containsKey("--remote"),
          list("--pids").stream().map(pid -> (long) number("--pids", pid, 1)).toList(),
          certificate,
          key,
          list("--without").stream().map(Omission::of).toList(),
          file("--out"));
    }

    private List<String> list(String option) {
      String text = values.get(option);
      return text == null ? List.of() : List.of(text.split(",", -1));
    }

    private @Nullable Path file(String option) {
      String text = values.get(option);
      return text == null ? null : here.resolve(text);
    }

    private int number(String option, int otherwise, int least) {
      String text = values.get(option);
      return text == null ? otherwise : number(option, text, least);
    }

    private static int number(String option, String text, int least) {
      try {
        int number = Integer.parseInt(text);
        if (number >= least) {
          return number;
        }
      } catch (NumberFormatException e) {
        // Reported below.
      }
      throw new UsageException(
          option + " must be a whole number of at least " + least + ", not '" + text + "'");
    }

    private double decimal(String option, double otherwise) {
      String text = values.get(option);
      try {
        return text == null ? otherwise : Double.parseDouble(text);
      } catch (NumberFormatException e) {
        throw new UsageException(option + " must be a number, not '" + text + "'");
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
        // Reported below.
      }
      throw new UsageException(
          "--hosts must be a comma-separated list of host:port, not '" + text + "'");
    }
  }
}
