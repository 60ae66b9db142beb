package io.fjordmq.perf.scenario;

/**
 * How many.
 *
 * @param publishers who send; with {@link Flow#MUTUAL} all clients, each of which also receives
 * @param subscribers who receive
 * @param idle who are connected and do nothing
 * @param topics where {@link Flow#TOPICS} meet; else 0
 * @param collectors each of which receives everything
 */
public record Clients(int publishers, int subscribers, int idle, int topics, int collectors) {
  /** All connections. */
  public long total() {
    return (long) publishers + subscribers + idle + collectors;
  }
}
