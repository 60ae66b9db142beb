package io.fjordmq.perf.scenario;

/**
 * The numbers of clients of each kind.
 *
 * @param publishers clients that send; with {@link Flow#MUTUAL} all clients, which also receive
 * @param subscribers clients that receive
 * @param idle clients that connect and do nothing
 * @param topics shared topics of {@link Flow#TOPICS}; otherwise 0
 * @param collectors clients that receive everything
 * @param apart whether the publisher and the subscriber of a pair connect to different nodes;
 *     otherwise, the pairs cover all paths between nodes
 */
public record Clients(
    int publishers, int subscribers, int idle, int topics, int collectors, boolean apart) {
  /** Creates client numbers with pairs that cover all paths between nodes. */
  public Clients(int publishers, int subscribers, int idle, int topics, int collectors) {
    this(publishers, subscribers, idle, topics, collectors, false);
  }

  /** Returns the number of connections. */
  public long total() {
    return (long) publishers + subscribers + idle + collectors;
  }
}
