package io.fjordmq.broker.monitor;

import io.fjordmq.broker.ops.ClientTraffic;
import io.fjordmq.broker.ops.LatencyHistogram;
import io.fjordmq.broker.ops.NodeStatus;

/**
 * The measurements of a node at one point in time. Counters count since the process started.
 *
 * @param status the state of the components
 * @param traffic counters of client traffic
 * @param acknowledgements the times from PUBLISH to acknowledgement since the process started
 * @param retained retained messages in ranges that this node leads
 * @param disk the disk of the data directory
 * @param cpuNanos CPU time of this process; {@link Series#UNKNOWN} if the system does not report it
 */
public record Reading(
    NodeStatus status,
    ClientTraffic traffic,
    LatencyHistogram acknowledgements,
    long retained,
    Disk disk,
    long cpuNanos) {

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

  /** Sets the values that do not depend on an earlier reading. */
  Sample.Builder gauges(long timeMillis) {
    long attached = status.inboxes().attached();
    return Sample.at(timeMillis)
        .set(Series.CONNECTIONS, traffic.connected())
        .set(Series.LIVE_CONNECTIONS, traffic.connected())
        .set(
            Series.DISCONNECTED_DURABLE_SESSIONS,
            Math.max(0, status.inboxes().inboxes() - attached))
        .set(
            Series.SUBSCRIPTIONS,
            status.inboxes().subscriptions() + traffic.transientSubscriptions())
        .set(Series.TOPICS, status.router().filters())
        .set(Series.RETAINED_MESSAGES, retained)
        .set(Series.HEAP_PERCENT, status.overload().reading().heapPercent())
        .set(Series.DISK_PERCENT, disk.percent());
  }
}
