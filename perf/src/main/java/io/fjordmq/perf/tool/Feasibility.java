package io.fjordmq.perf.tool;

import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether a scenario can be run here, and if not, why and what could. Says nothing of speed: a
 * machine that is too slow shows that in the figures.
 *
 * @param openFiles how many files and sockets a process may have
 * @param availableKilobytes of memory
 */
record Feasibility(long openFiles, long availableKilobytes) {
  /** Of a node of ours: the database's, the log's, other nodes'. */
  private static final long FILES_OF_A_NODE = 1_500;

  private static final long FILES_OF_THE_TOOL = 300;

  /** A client of the tool and its half of the kernel's buffers. */
  private static final long KILOBYTES_OF_A_CLIENT = 6;

  private static final long KILOBYTES_AT_A_BROKER = 12;
  private static final long KILOBYTES_OF_TLS = 40;

  /** More nodes than this on one machine measure the machine. */
  static final int MOST_NODES = 3;

  /**
   * What stands in the way.
   *
   * @param scenario scaled
   * @param factor by which it was scaled
   * @param starts whether brokers are started here
   * @return sentences; empty if it can be run
   */
  List<String> obstacles(Scenario scenario, double factor, boolean starts) {
    List<String> obstacles = new ArrayList<>();
    int nodes = scenario.cluster().nodes();
    if (starts && nodes > MOST_NODES) {
      obstacles.add(
          "it wants "
              + nodes
              + " nodes and this tool starts up to "
              + MOST_NODES
              + " here; give more with --hosts, or any --scale below 1 makes do with "
              + MOST_NODES);
    }
    List<Shortage> shortages = shortages(scenario, starts);
    // One of them alone would let people run into the next one.
    double least = shortages.stream().mapToDouble(Shortage::share).min().orElse(1);
    for (Shortage shortage : shortages) {
      obstacles.add(shortage.text() + "; --scale " + scale(factor * least) + " would do");
    }
    return obstacles;
  }

  /**
   * Something there is too little of.
   *
   * @param share of the clients for which it would do
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
              "%,d clients need as many open files, and a process may have %,d here (ulimit -n)",
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
              "%,d clients at each node are more open files than it may have here (%,d)",
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
              "%,d clients and their broker would want about %,d MB of memory, and %,d are free",
              clients,
              kilobytes / 1024,
              availableKilobytes / 1024);
      shortages.add(new Shortage(text, availableKilobytes, kilobytes));
    }
    return shortages;
  }

  /** Two digits, rounded down. */
  private static String scale(double scale) {
    double unit = Math.pow(10, Math.floor(Math.log10(scale)) - 1);
    return new java.math.BigDecimal(Math.floor(scale / unit) * unit)
        .round(new java.math.MathContext(2))
        .stripTrailingZeros()
        .toPlainString();
  }
}
