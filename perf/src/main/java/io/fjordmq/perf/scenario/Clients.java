package io.fjordmq.perf.scenario;

/**
 * The numbers of clients of each kind.
 *
 * @param publishers number of clients that send; with {@link Flow#MUTUAL}, all clients, which also
 *     receive
 * @param subscribers number of clients that receive
 * @param idle number of clients that connect and do nothing
 * @param topics number of shared topics with {@link Flow#TOPICS}; otherwise 0
 * @param collectors number of clients that receive everything
 */
public record Clients(int publishers, int subscribers, int idle, int topics, int collectors) {
  /** Returns the number of connections. */
  public long total() {
    return (long) publishers + subscribers + idle + collectors;
  }
}
