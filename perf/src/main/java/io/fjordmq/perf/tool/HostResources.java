package io.fjordmq.perf.tool;

import io.fjordmq.perf.machine.ControlGroups;
import io.fjordmq.perf.machine.HostInfo;
import io.fjordmq.perf.scenario.Cluster;
import io.fjordmq.perf.scenario.NodeLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The resources of this host, compared with the limits of a scenario's nodes.
 *
 * @param processors number of processors of the host
 * @param gibibytes memory of the host in GiB
 */
record HostResources(int processors, double gibibytes) {
  private static final double GIBIBYTE = 1L << 30;

  static HostResources own() {
    return new HostResources(
        Runtime.getRuntime().availableProcessors(), HostInfo.memoryBytes() / GIBIBYTE);
  }

  /**
   * Tries to create a limited group; returns why nodes cannot be limited, or empty if they can.
   *
   * @param startsNodes whether nodes are started on this host
   */
  static Optional<String> obstacle(NodeLimits limits, boolean startsNodes) {
    if (limits.isNone()) {
      return Optional.empty();
    }
    if (!startsNodes) {
      return Optional.of(
          refusal(limits, "set the limits of an external broker where you start it"));
    }
    try {
      ControlGroups.own().probe(limits);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(refusal(limits, "this host cannot limit nodes: " + e.getMessage()));
    }
  }

  private static String refusal(NodeLimits limits, String reason) {
    return "node-limits: each node is limited to %s, but %s; %s"
        .formatted(limits, reason, OptionalRequirement.NODE_LIMITS.advice());
  }

  /**
   * Returns notes about the limits for readers of the report.
   *
   * @param original limits that the scenario requires
   * @param cluster the cluster that is run
   */
  List<String> notes(NodeLimits original, Cluster cluster) {
    NodeLimits limits = cluster.limits();
    if (original.isNone()) {
      return List.of();
    }
    if (limits.isNone()) {
      return List.of("omitted: the limit of " + original + " per node");
    }
    List<String> notes = new ArrayList<>();
    notes.add("each node is limited to " + limits + ", regardless of the scale");
    String host = "%d and %.1f GiB".formatted(processors, gibibytes);
    if (limits.processors() > processors || limits.gibibytes() > gibibytes) {
      notes.add(
          "these limits exceed the host's capacity (" + host + ") and have little or no effect");
    } else if (cluster.nodes() * limits.processors() > processors
        || cluster.nodes() * limits.gibibytes() > gibibytes) {
      notes.add(
          ("%d nodes at their limits exceed the host's capacity (%s), and the load tool needs"
                  + " resources as well: a node may get less than its limit")
              .formatted(cluster.nodes(), host));
    }
    return notes;
  }
}
