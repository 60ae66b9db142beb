package io.fjordmq.perf.tool;

import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.machine.ControlGroups;
import io.fjordmq.perf.machine.NodeGroup;
import io.fjordmq.perf.machine.NodeGroup.Reading;
import io.fjordmq.perf.scenario.NodeLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the nodes of one target within their limits, and tells what came of these. Without limits
 * it does nothing. Any thread.
 */
final class LimitedNodes implements AutoCloseable {
  private static final long MEBIBYTE = 1 << 20;

  private final NodeLimits limits;
  private final @Nullable ControlGroups groups;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private boolean closed;

  /** A node, and what its limits had done when the load began. */
  private record Node(NodeGroup group, Reading before) {}

  /**
   * @throws IOException if processes cannot be limited here
   */
  LimitedNodes(NodeLimits limits) throws IOException {
    this.limits = limits;
    this.groups = limits.isNone() ? null : ControlGroups.own();
  }

  /**
   * How a node is to be started so that its limits hold from the beginning.
   *
   * @param node its name, which none before had
   * @return makes the command of the usual one
   * @throws UsageException after {@link #close}
   */
  synchronized UnaryOperator<List<String>> manner(String node) throws IOException {
    if (groups == null) {
      return UnaryOperator.identity();
    }
    if (closed) {
      throw new UsageException("interrupted: " + node + " is not started any more");
    }
    NodeGroup group = groups.make(node, limits);
    nodes.put(node, new Node(group, group.reading()));
    return group::inside;
  }

  /** All nodes serve: what they needed for their start is not the load's doing. */
  synchronized void started() throws IOException {
    for (Map.Entry<String, Node> node : nodes.entrySet()) {
      NodeGroup group = node.getValue().group();
      node.setValue(new Node(group, group.reading()));
    }
  }

  /** Sentences about nodes that the kernel ended because they wanted more memory. */
  synchronized List<String> ended() throws IOException {
    List<String> sentences = new ArrayList<>();
    for (Map.Entry<String, Node> node : nodes.entrySet()) {
      if (node.getValue().group().reading().ended() > 0) {
        sentences.add(
            node.getKey() + " wanted more memory than its limit, and the kernel ended it");
      }
    }
    return sentences;
  }

  /** The same result and what the limits had to do with it. */
  synchronized RunResult explain(RunResult result) throws IOException {
    List<String> remarks = new ArrayList<>();
    for (Map.Entry<String, Node> node : nodes.entrySet()) {
      Reading before = node.getValue().before();
      Reading after = node.getValue().group().reading();
      remarks.add(
          String.format(
              Locale.ROOT,
              "limits of %s: its processors' time was used up in %,d of %,d tenths of a second;"
                  + " memory, with its files in the cache, came to %,d of %,d MiB",
              node.getKey(),
              after.throttled() - before.throttled(),
              after.periods() - before.periods(),
              after.mostBytes() / MEBIBYTE,
              limits.bytes() / MEBIBYTE));
    }
    return result.with(ended(), remarks);
  }

  /**
   * Ends what is left of the nodes and removes their groups.
   *
   * @throws IOException if one is left; the others are gone
   */
  @Override
  public synchronized void close() throws IOException {
    closed = true;
    IOException failed = null;
    for (Node node : nodes.values()) {
      try {
        node.group().close();
      } catch (IOException e) {
        failed = e;
      }
    }
    nodes.clear();
    if (failed != null) {
      throw failed;
    }
  }
}
