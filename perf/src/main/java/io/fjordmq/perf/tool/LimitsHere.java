package io.fjordmq.perf.tool;

import io.fjordmq.perf.machine.ControlGroups;
import io.fjordmq.perf.machine.MachineFacts;
import io.fjordmq.perf.scenario.Cluster;
import io.fjordmq.perf.scenario.NodeLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the limits of a scenario's nodes mean on this machine.
 *
 * @param processors it has
 * @param gibibytes of memory it has
 */
record LimitsHere(int processors, double gibibytes) {
  private static final double GIBIBYTE = 1L << 30;

  static LimitsHere own() {
    return new LimitsHere(
        Runtime.getRuntime().availableProcessors(), MachineFacts.memoryBytes() / GIBIBYTE);
  }

  /**
   * Why nodes cannot be limited so, after having tried.
   *
   * @param starts whether nodes are started here
   */
  static Optional<String> obstacle(NodeLimits limits, boolean starts) {
    if (limits.isNone()) {
      return Optional.empty();
    }
    if (!starts) {
      return Optional.of(refusal(limits, "a given broker is limited by whoever has started it"));
    }
    try {
      ControlGroups.own().probe(limits);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(refusal(limits, "that cannot be done here: " + e.getMessage()));
    }
  }

  private static String refusal(NodeLimits limits, String why) {
    return Omission.NODE_LIMITS
        + ": each node is to have "
        + limits
        + " at most, and "
        + why
        + "; --without "
        + Omission.NODE_LIMITS
        + " runs the rest, and the report says so";
  }

  /**
   * What a reader of the report has to know.
   *
   * @param original limits of the scenario
   * @param cluster that is run
   */
  List<String> notes(NodeLimits original, Cluster cluster) {
    NodeLimits limits = cluster.limits();
    if (original.isNone()) {
      return List.of();
    }
    if (limits.isNone()) {
      return List.of("left out: that each node has " + original + " at most");
    }
    List<String> notes = new ArrayList<>();
    notes.add("each node has " + limits + " at most, however few clients there are");
    String machine = String.format(Locale.ROOT, "%d and %.1f GiB", processors, gibibytes);
    if (limits.processors() > processors || limits.gibibytes() > gibibytes) {
      notes.add("that is above what the machine has (" + machine + "): it limits less, or nothing");
    } else if (cluster.nodes() * limits.processors() > processors
        || cluster.nodes() * limits.gibibytes() > gibibytes) {
      notes.add(
          cluster.nodes()
              + " nodes at their limits are more than the machine has ("
              + machine
              + "), and the load wants some of it, too: a node may get less than its limit");
    }
    return notes;
  }
}
