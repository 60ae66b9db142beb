package io.fjordmq.broker.ops;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as one node sees it, for people.
 *
 * @param nodes all that belong to it
 * @param ranges all ranges of all stores, in the order of stores and keys
 * @param remarks what an operator should know, in sentences
 */
public record ClusterStatus(List<NodeLine> nodes, List<RangeLine> ranges, List<String> remarks) {
  private static final int LONGEST_STATE = "draining".length();
  private static final long USUAL_LAG = 16;

  /**
   * A node.
   *
   * @param id of the node
   * @param address of its cluster port
   * @param state up, draining or down
   * @param incarnation of its present or last process
   * @param isSelf whether it is the one that was asked
   * @param leadsMetadata whether it leads the metadata group, as far as is known
   */
  public record NodeLine(
      String id,
      String address,
      String state,
      long incarnation,
      boolean isSelf,
      boolean leadsMetadata) {}

  /**
   * A range.
   *
   * @param leader null if nobody is known to lead it
   * @param keys from the first to the one after the last, in hexadecimal digits
   * @param load null if its leader has not said it
   * @param problem why a replica of it is out of service; null if none is
   */
  public record RangeLine(
      String range,
      @Nullable String leader,
      List<ReplicaLine> voters,
      List<ReplicaLine> learners,
      String keys,
      @Nullable LoadLine load,
      @Nullable String problem) {}

  /**
   * What a range has to do, and what its leader makes of it.
   *
   * @param requests commands and queries per second
   * @param busyPercent of a second that its apply thread worked
   * @param nanos mean time for which a command waited for storage
   * @param bytes that it holds, estimated; 0 if that is not known
   * @param decision split, split by size, merge, or why neither
   */
  public record LoadLine(long requests, int busyPercent, long nanos, long bytes, String decision) {}

  /**
   * A node's copy of a range.
   *
   * @param lag log entries that the leader has applied and it has not; negative if it is not known
   */
  public record ReplicaLine(String node, long lag) {}

  /** The page {@code /status}: a line for each node, each range and each remark. */
  public String text() {
    StringBuilder page = new StringBuilder();
    int widest = nodes.stream().mapToInt(node -> node.address().length()).max().orElse(0);
    nodes.forEach(node -> page.append(line(node, widest)).append('\n'));
    int longest = ranges.stream().mapToInt(range -> range.range().length()).max().orElse(0);
    ranges.forEach(range -> page.append(line(range, longest)).append('\n'));
    remarks.forEach(remark -> page.append(remark).append('\n'));
    return page.toString();
  }

  private static String line(NodeLine node, int width) {
    return "node "
        + node.id()
        + "  "
        + padded(node.address(), width)
        + "  "
        + padded(node.state(), LONGEST_STATE)
        + "  process "
        + node.incarnation()
        + (node.isSelf() ? ", this node" : "")
        + (node.leadsMetadata() ? ", leads the metadata" : "");
  }

  private static String line(RangeLine range, int width) {
    String leader = range.leader();
    LoadLine load = range.load();
    String problem = range.problem();
    return "range "
        + padded(range.range(), width)
        + "  leader "
        + (leader == null ? "none" : leader)
        + "  voters "
        + list(range.voters())
        + (range.learners().isEmpty() ? "" : "  learners " + list(range.learners()))
        + "  keys "
        + range.keys()
        + (load == null ? "" : "  " + text(load))
        + (problem == null ? "" : "  " + problem);
  }

  private static String text(LoadLine load) {
    return "%d requests/s, busy %d %%, %d µs of storage each, %d KiB: %s"
        .formatted(
            load.requests(),
            load.busyPercent(),
            Math.round(load.nanos() / 1_000.0),
            load.bytes() / 1024,
            load.decision().replace('_', ' '));
  }

  private static String list(List<ReplicaLine> replicas) {
    return replicas.stream().map(ClusterStatus::replica).collect(Collectors.joining(", "));
  }

  /** A few entries are always on their way; more are worth a word. */
  private static String replica(ReplicaLine replica) {
    if (replica.lag() < 0) {
      return replica.node() + " (silent)";
    }
    return replica.lag() <= USUAL_LAG
        ? replica.node()
        : replica.node() + " (" + replica.lag() + " behind)";
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }
}
