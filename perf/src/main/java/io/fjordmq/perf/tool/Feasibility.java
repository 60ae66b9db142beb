package io.fjordmq.perf.tool;

import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Checks whether this host can run a scenario, and if not, why and what would help. Ignores speed:
 * if a host is too slow, the figures show it.
 *
 * @param openFiles files and sockets that a process may have open
 * @param availableKilobytes available memory
 */
record Feasibility(long openFiles, long availableKilobytes) {
  /** Files of one FjordMQ node: database, log, connections to other nodes. */
  private static final long FILES_OF_A_NODE = 1_500;

  private static final long FILES_OF_THE_TOOL = 300;

  /** A client of the tool and its share of the kernel's buffers. */
  private static final long KILOBYTES_OF_A_CLIENT = 6;

  private static final long KILOBYTES_AT_A_BROKER = 12;
  private static final long KILOBYTES_OF_TLS = 40;

  /** With more nodes on one host, the host would be measured instead of the broker. */
  static final int MOST_NODES = 3;

  /**
   * Why the scenario cannot run.
   *
   * @param scenario after scaling
   * @param factor of the scaling
   * @param starts whether brokers are started on this host
   * @return sentences; empty if it can run
   */
  List<String> obstacles(Scenario scenario, double factor, boolean starts) {
    List<String> obstacles = new ArrayList<>();
    int nodes = scenario.cluster().nodes();
    if (starts && nodes > MOST_NODES) {
      obstacles.add(
          "it needs "
              + nodes
              + " nodes, but this tool starts at most "
              + MOST_NODES
              + " here; use --hosts, or any --scale below 1, which needs only "
              + MOST_NODES);
    }
    List<Shortage> shortages = shortages(scenario, starts);
    // Suggest the factor that solves all shortages at once.
    double least = shortages.stream().mapToDouble(Shortage::share).min().orElse(1);
    for (Shortage shortage : shortages) {
      obstacles.add(shortage.text() + "; --scale " + scale(factor * least) + " would be enough");
    }
    return obstacles;
  }

  /**
   * A resource that is too small.
   *
   * @param share fraction of the clients that it is enough for
   */
  private record Shortage(String text, double share) {
    Shortage(String text, long have, long want) {
      this(text, (double) Math.max(1, have) / want);
    }
  }

  private List<Shortage> shortages(Scenario scenario, boolean starts) {
    List<Shortage> shortages = new ArrayList<>();
    long clients = scenario.clients().total();
    if (clients + FILES_OF_THE_TOOL > openFiles) {
      String text =
          String.format(
              Locale.ROOT,
              "%,d clients need as many open files, but the limit per process is %,d (ulimit -n)",
              clients,
              openFiles);
      shortages.add(new Shortage(text, openFiles - FILES_OF_THE_TOOL, clients));
    }
    if (!starts) {
      return shortages;
    }
    long each = clients / Math.min(MOST_NODES, scenario.cluster().nodes());
    if (each + FILES_OF_A_NODE > openFiles) {
      String text =
          String.format(
              Locale.ROOT,
              "%,d clients per node exceed the open-file limit of a node on this host (%,d)",
              each,
              openFiles);
      shortages.add(new Shortage(text, openFiles - FILES_OF_A_NODE, each));
    }
    boolean plain = scenario.connections().transport() == Transport.TCP;
    long kilobytes =
        clients * (KILOBYTES_OF_A_CLIENT + KILOBYTES_AT_A_BROKER + (plain ? 0 : KILOBYTES_OF_TLS));
    if (kilobytes > availableKilobytes) {
      String text =
          String.format(
              Locale.ROOT,
              "%,d clients and their broker need about %,d MB of memory, but %,d are available",
              clients,
              kilobytes / 1024,
              availableKilobytes / 1024);
      shortages.add(new Shortage(text, availableKilobytes, kilobytes));
    }
    return shortages;
  }

  /** Two significant digits, rounded down. */
  private static String scale(double scale) {
    double unit = Math.pow(10, Math.floor(Math.log10(scale)) - 1);
    return new java.math.BigDecimal(Math.floor(scale / unit) * unit)
        .round(new java.math.MathContext(2))
        .stripTrailingZeros()
        .toPlainString();
  }
}
