package io.fjordmq.perf.tool;

import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks whether this host can run a scenario and, if not, explains why and what would help. Does
 * not consider speed, because the results show whether a host is too slow.
 *
 * @param openFiles files and sockets that a process may have open
 * @param availableKilobytes available memory
 */
record Feasibility(long openFiles, long availableKilobytes) {
  /** Files and sockets that one FjordMQ node keeps open besides client connections. */
  private static final long NODE_OPEN_FILES = 1_500;

  private static final long TOOL_OPEN_FILES = 300;

  /** Memory that one client needs in the tool, including its share of the kernel's buffers. */
  private static final long TOOL_KILOBYTES_PER_CLIENT = 6;

  private static final long BROKER_KILOBYTES_PER_CLIENT = 12;
  private static final long TLS_KILOBYTES_PER_CLIENT = 40;

  /**
   * Maximum number of nodes that the tool starts. More nodes on one host would measure the host
   * instead of the broker.
   */
  static final int MAX_NODES = 3;

  /**
   * Returns why the scenario cannot run.
   *
   * @param scenario the scenario after scaling
   * @param factor scale factor
   * @param starts whether brokers are started on this host
   * @return one sentence for each obstacle; empty if the scenario can run
   */
  List<String> obstacles(Scenario scenario, double factor, boolean starts) {
    List<String> obstacles = new ArrayList<>();
    int nodes = scenario.cluster().nodes();
    if (starts && nodes > MAX_NODES) {
      obstacles.add(
          ("needs %d nodes, but this tool starts at most %d on this host; use --hosts, or any --scale below 1, which starts only %2$d")
              .formatted(nodes, MAX_NODES));
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
   * @param share fraction of the clients for which the resource is sufficient
   */
  private record Shortage(String text, double share) {
    Shortage(String text, long available, long required) {
      this(text, (double) Math.max(1, available) / required);
    }
  }

  private List<Shortage> shortages(Scenario scenario, boolean starts) {
    List<Shortage> shortages = new ArrayList<>();
    long clients = scenario.clients().total();
    if (clients + TOOL_OPEN_FILES > openFiles) {
      String text =
          "%,d clients need %,d open files, but the limit per process is %,d (ulimit -n)"
              .formatted(clients, clients + TOOL_OPEN_FILES, openFiles);
      shortages.add(new Shortage(text, openFiles - TOOL_OPEN_FILES, clients));
    }
    if (!starts) {
      return shortages;
    }
    long each = clients / Math.min(MAX_NODES, scenario.cluster().nodes());
    if (each + NODE_OPEN_FILES > openFiles) {
      String text =
          "%,d clients per node exceed the open-file limit of a node on this host (%,d)"
              .formatted(each, openFiles);
      shortages.add(new Shortage(text, openFiles - NODE_OPEN_FILES, each));
    }
    boolean plain = scenario.connections().transport() == Transport.TCP;
    long kilobytes =
        clients
            * (TOOL_KILOBYTES_PER_CLIENT
                + BROKER_KILOBYTES_PER_CLIENT
                + (plain ? 0 : TLS_KILOBYTES_PER_CLIENT));
    if (kilobytes > availableKilobytes) {
      String text =
          "%,d clients and their broker need about %,d MB of memory, but %,d are available"
              .formatted(clients, kilobytes / 1024, availableKilobytes / 1024);
      shortages.add(new Shortage(text, availableKilobytes, kilobytes));
    }
    return shortages;
  }

  /** Returns a scale factor with two significant digits, rounded down. */
  private static String scale(double scale) {
    double unit = Math.pow(10, Math.floor(Math.log10(scale)) - 1);
    return new java.math.BigDecimal(Math.floor(scale / unit) * unit)
        .round(new java.math.MathContext(2))
        .stripTrailingZeros()
        .toPlainString();
  }
}
