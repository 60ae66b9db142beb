package io.fjordmq.broker.ops;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as seen by one node: the contents of {@code /status}.
 *
 * @param nodes all members
 * @param ranges all ranges of all stores, ordered by store and key
 * @param notes problems and hints for the operator
 */
public record ClusterStatus(List<NodeLine> nodes, List<RangeLine> ranges, List<String> notes) {
  private static final int MAX_STATE_LENGTH = "draining".length();
  private static final long NORMAL_LAG = 16;

  /**
   * A node.
   *
   * @param name the name for operators; the id if it has none
   * @param address the address of the node's cluster port
   * @param state the node state in lower case
   * @param incarnation the current or latest incarnation
   * @param isSelf whether this is the node that responds to the request
   * @param leadsMetadata whether the node is known to lead the metadata group
   */
  public record NodeLine(
      String id,
      String name,
      String address,
      String state,
      long incarnation,
      boolean isSelf,
      boolean leadsMetadata) {}

  /**
   * A range.
   *
   * @param leader the leader; null if none is known
   * @param keys the key interval in hexadecimal; the end is exclusive
   * @param load the load; null if the leader has not reported it
   * @param pin where an operator pinned the range; null if it is not pinned
   * @param problem why a replica is halted; null if none is halted
   */
  public record RangeLine(
      String range,
      @Nullable String leader,
      List<ReplicaLine> voters,
      List<ReplicaLine> learners,
      String keys,
      @Nullable LoadLine load,
      @Nullable PinLine pin,
      @Nullable String problem) {}

  /**
   * The placement that an operator chose.
   *
   * @param leader null if any voter may lead
   */
  public record PinLine(List<String> voters, @Nullable String leader) {}

  /**
   * The load of a range and the split decision of its leader.
   *
   * @param requests commands and queries per second
   * @param busyPercent percentage of time for which the range's apply thread was busy
   * @param storageNanosPerCommand mean time per command spent in storage, in nanoseconds
   * @param bytes estimated size; 0 if unknown
   * @param decision split, split by size, merge, or the reason why the range is left unchanged
   */
  public record LoadLine(
      long requests, int busyPercent, long storageNanosPerCommand, long bytes, String decision) {}

  /**
   * A replica of a range.
   *
   * @param lag number of log entries that the leader has applied but the replica has not; negative
   *     if unknown
   */
  public record ReplicaLine(String node, long lag) {}

  /** Returns the text of the {@code /status} page: one line for each node, range and note. */
  public String text() {
    StringBuilder page = new StringBuilder();
    int names = nodes.stream().mapToInt(node -> node.name().length()).max().orElse(0);
    int addresses = nodes.stream().mapToInt(node -> node.address().length()).max().orElse(0);
    nodes.forEach(node -> page.append(line(node, names, addresses)).append('\n'));
    int longest = ranges.stream().mapToInt(range -> range.range().length()).max().orElse(0);
    ranges.forEach(range -> page.append(line(range, longest)).append('\n'));
    notes.forEach(note -> page.append(note).append('\n'));
    return page.toString();
  }

  private static String line(NodeLine node, int names, int addresses) {
    return "node "
        + node.id()
        + "  "
        + pad(node.name(), names)
        + "  "
        + pad(node.address(), addresses)
        + "  "
        + pad(node.state(), MAX_STATE_LENGTH)
        + "  incarnation "
        + node.incarnation()
        + (node.isSelf() ? ", this node" : "")
        + (node.leadsMetadata() ? ", leads the metadata group" : "");
  }

  private static String line(RangeLine range, int width) {
    String leader = range.leader();
    LoadLine load = range.load();
    PinLine pin = range.pin();
    String problem = range.problem();
    return "range "
        + pad(range.range(), width)
        + "  leader "
        + (leader == null ? "none" : leader)
        + "  voters "
        + list(range.voters())
        + (range.learners().isEmpty() ? "" : "  learners " + list(range.learners()))
        + "  keys "
        + range.keys()
        + (load == null ? "" : "  " + text(load))
        + (pin == null ? "" : "  " + text(pin))
        + (problem == null ? "" : "  " + problem);
  }

  private static String text(PinLine pin) {
    return "pinned to "
        + String.join(", ", pin.voters())
        + (pin.leader() == null ? "" : " with leader " + pin.leader());
  }

  private static String text(LoadLine load) {
    return "%d requests/s, busy %d %%, %d µs of storage per command, %d KiB: %s"
        .formatted(
            load.requests(),
            load.busyPercent(),
            Math.round(load.storageNanosPerCommand() / 1_000.0),
            load.bytes() / 1024,
            load.decision().replace('_', ' '));
  }

  private static String list(List<ReplicaLine> replicas) {
    return replicas.stream().map(ClusterStatus::replica).collect(Collectors.joining(", "));
  }

  /** Formats a replica. A small lag is normal and is not shown. */
  private static String replica(ReplicaLine replica) {
    if (replica.lag() < 0) {
      return replica.node() + " (unresponsive)";
    }
    return replica.lag() <= NORMAL_LAG
        ? replica.node()
        : replica.node() + " (" + replica.lag() + " behind)";
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }
}
