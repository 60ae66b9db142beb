package io.fjordmq.perf.tool;

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
    long clients = scenario.clients().total();
    long files = clients + FILES_OF_THE_TOOL;
    if (files > openFiles) {
      obstacles.add(
          String.format(
              Locale.ROOT,
              "%,d clients need as many open files, and a process may have %,d here (ulimit -n);"
                  + " --scale %s would do",
              clients,
              openFiles,
              scale(factor, openFiles - FILES_OF_THE_TOOL, clients)));
    }
    if (!starts) {
      return obstacles;
    }
    int nodes = scenario.cluster().nodes();
    if (nodes > MOST_NODES) {
      obstacles.add(
          "it wants "
              + nodes
              + " nodes and this tool starts up to "
              + MOST_NODES
              + " here; give more with --hosts, or any --scale below 1 makes do with "
              + MOST_NODES);
      return obstacles;
    }
    long each = clients / nodes;
    if (each + FILES_OF_A_NODE > openFiles) {
      obstacles.add(
          String.format(
              Locale.ROOT,
              "%,d clients at each node are more open files than it may have here (%,d); --scale %s"
                  + " would do",
              each,
              openFiles,
              scale(factor, openFiles - FILES_OF_A_NODE, each)));
    }
    boolean plain =
        scenario.connections().transport() == io.fjordmq.perf.scenario.Connections.Transport.TCP;
    long kilobytes =
        clients * (KILOBYTES_OF_A_CLIENT + KILOBYTES_AT_A_BROKER + (plain ? 0 : KILOBYTES_OF_TLS));
    if (kilobytes > availableKilobytes) {
      obstacles.add(
          String.format(
              Locale.ROOT,
              "%,d clients and their broker would want about %,d MB of memory, and %,d are free;"
                  + " --scale %s would do",
              clients,
              kilobytes / 1024,
              availableKilobytes / 1024,
              scale(factor, availableKilobytes, kilobytes)));
    }
    return obstacles;
  }

  /** Two digits, rounded down. */
  private static String scale(double factor, long have, long want) {
    double scale = factor * Math.max(1, have) / want;
    double unit = Math.pow(10, Math.floor(Math.log10(scale)) - 1);
    return new java.math.BigDecimal(Math.floor(scale / unit) * unit)
        .round(new java.math.MathContext(2))
        .stripTrailingZeros()
        .toPlainString();
  }
}
