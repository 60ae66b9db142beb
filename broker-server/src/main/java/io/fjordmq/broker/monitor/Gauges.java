package io.fjordmq.broker.monitor;

import io.fjordmq.broker.ops.ClientTraffic;
import io.fjordmq.inbox.InboxStoreStatus;

/**
 * The values of a node that show its current state. Requests to the API read them, so reading them
 * must be cheap.
 *
 * @param traffic counters of client traffic since the process started
 * @param inboxes persistent sessions in ranges that this node leads
 * @param topics topic filters with subscribers, of the whole cluster
 * @param retained retained messages in ranges that this node leads
 * @param heapPercent use of the heap after the last garbage collection; 0 before the first
 * @param disk the disk of the data directory
 */
public record Gauges(
    ClientTraffic traffic,
    InboxStoreStatus inboxes,
    int topics,
    long retained,
    int heapPercent,
    Disk disk) {

  /**
   * The file system of the data directory.
   *
   * @param usedBytes bytes that are not available for writing
   * @param totalBytes size; 0 if unknown
   */
  public record Disk(long usedBytes, long totalBytes) {
    long percent() {
      return totalBytes <= 0 ? Series.UNKNOWN : Math.round(100.0 * usedBytes / totalBytes);
    }
  }

  /** Begins a sample with these values. */
  Sample.Builder sample(long timeMillis) {
    return Sample.at(timeMillis)
        .set(Series.CONNECTIONS, traffic.connected())
        .set(Series.LIVE_CONNECTIONS, traffic.connected())
        .set(
            Series.DISCONNECTED_DURABLE_SESSIONS,
            Math.max(0, inboxes.inboxes() - inboxes.attached()))
        .set(Series.SUBSCRIPTIONS, inboxes.subscriptions() + traffic.transientSubscriptions())
        .set(Series.TOPICS, topics)
        .set(Series.RETAINED_MESSAGES, retained)
        .set(Series.HEAP_PERCENT, heapPercent > 0 ? heapPercent : Series.UNKNOWN)
        .set(Series.DISK_PERCENT, disk.percent());
  }
}
