package io.fjordmq.perf.broker;

import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.machine.ControlGroups;
import io.fjordmq.perf.machine.NodeGroup;
import io.fjordmq.perf.machine.NodeGroup.Reading;
import io.fjordmq.perf.scenario.NodeLimits;
import io.fjordmq.perf.scenario.UsageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Applies resource limits to the nodes of one broker and reports their effect. Does nothing without
 * limits. Thread-safe.
 */
public final class LimitedNodes implements AutoCloseable {
  private static final long MEBIBYTE = 1 << 20;

  private final NodeLimits limits;
  private final @Nullable ControlGroups groups;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private boolean closed;

  /** A node's group, and the group's counters before the load. */
  private record Node(NodeGroup group, Reading before) {}

  /**
   * @throws IOException if processes cannot be limited on this host
   */
  LimitedNodes(NodeLimits limits) throws IOException {
    this.limits = limits;
    this.groups = limits.isNone() ? null : ControlGroups.own();
  }

  /**
   * Wraps the start command of a node so that its limits apply from the beginning.
   *
   * @param node unique name
   * @return a function that wraps a command
   * @throws UsageException after {@link #close}
   */
  synchronized UnaryOperator<List<String>> limitedCommand(String node) throws IOException {
    if (groups == null) {
      return UnaryOperator.identity();
    }
    if (closed) {
      throw new UsageException("interrupted: not starting " + node);
    }
    NodeGroup group = groups.createGroup(node, limits);
    nodes.put(node, new Node(group, group.reading()));
    return group::wrap;
  }

  /** Called when all nodes serve clients. Resources used before this call are not reported. */
  synchronized void started() throws IOException {
    for (Map.Entry<String, Node> node : nodes.entrySet()) {
      NodeGroup group = node.getValue().group();
      node.setValue(new Node(group, group.reading()));
    }
  }

  /**
   * Returns one sentence about each node that the kernel killed because it exceeded its memory
   * limit.
   */
  synchronized List<String> killed() throws IOException {
    List<String> sentences = new ArrayList<>();
    for (Map.Entry<String, Node> node : nodes.entrySet()) {
      if (node.getValue().group().reading().oomKills() > 0) {
        sentences.add(node.getKey() + " exceeded its memory limit and was killed by the kernel");
      }
    }
    return sentences;
  }

  /** Returns the result with additional remarks about the limits. */
  public synchronized RunResult addRemarks(RunResult result) throws IOException {
    List<String> remarks = new ArrayList<>();
    for (Map.Entry<String, Node> node : nodes.entrySet()) {
      Reading before = node.getValue().before();
      Reading after = node.getValue().group().reading();
      remarks.add(
          ("limits of %s: throttled in %,d of %,d periods of 100 ms;"
                  + " peak memory including file cache %,d of %,d MiB")
              .formatted(
                  node.getKey(),
                  after.throttled() - before.throttled(),
                  after.periods() - before.periods(),
                  after.peakBytes() / MEBIBYTE,
                  limits.bytes() / MEBIBYTE));
    }
    return result.with(killed(), remarks);
  }

  /**
   * Kills the remaining processes of the nodes and removes their groups.
   *
   * @throws IOException if a group could not be removed; the others are removed
   */
  @Override
  public synchronized void close() throws IOException {
    closed = true;
    IOException failure = null;
    for (Node node : nodes.values()) {
      try {
        node.group().close();
      } catch (IOException e) {
        failure = e;
      }
    }
    nodes.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
