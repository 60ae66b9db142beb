package io.fjordmq.broker.monitor;

import org.jspecify.annotations.Nullable;

/**
 * The values that every node samples. Nodes exchange them by label, so that nodes of different
 * versions understand each other: the meaning of a label must not change.
 */
public enum Series {
  /** Connected clients. */
  CONNECTIONS("connections", null, Merge.SUM, "Connected clients"),
  /** Same value as the previous one; EMQX distinguishes connections and live connections. */
  LIVE_CONNECTIONS("live_connections", null, Merge.SUM, "The same as `connections`"),
  /** Offline persistent sessions. */
  DISCONNECTED_DURABLE_SESSIONS(
      "disconnected_durable_sessions", null, Merge.SUM, "Persistent sessions that are offline"),
  /** Subscriptions. */
  SUBSCRIPTIONS(
      "subscriptions", null, Merge.SUM, "Subscriptions of connected clients and offline sessions"),
  /** Topic filters with subscribers. */
  TOPICS("topics", null, Merge.MAX, "Topic filters that have subscribers; each node knows all"),
  /** Retained messages. */
  RETAINED_MESSAGES("retained_msg_count", null, Merge.SUM, "Retained messages"),
  /** Messages from clients. */
  RECEIVED("received", "received_msg_rate", Merge.SUM, "Messages received from clients"),
  /** Bytes from clients. */
  RECEIVED_BYTES("received_bytes", "received_bytes_rate", Merge.SUM, "Bytes received from clients"),
  /** Messages to clients. */
  SENT("sent", "sent_msg_rate", Merge.SUM, "Messages sent to clients"),
  /** Bytes to clients. */
  SENT_BYTES("sent_bytes", "sent_bytes_rate", Merge.SUM, "Bytes sent to clients"),
  /** Dropped messages. */
  DROPPED("dropped", "dropped_msg_rate", Merge.SUM, "Message copies dropped"),
  /** CPU time. */
  CPU_PERCENT(
      "cpu_percent",
      null,
      Merge.MAX,
      "CPU time of the node process, in percent of all processors of its host"),
  /** Heap of long-lived objects. */
  HEAP_PERCENT(
      "heap_percent",
      null,
      Merge.MAX,
      "Heap used by long-lived objects after the last garbage collection, in percent; absent"
          + " before the first collection"),
  /** Disk in use. */
  DISK_PERCENT(
      "disk_percent", null, Merge.MAX, "Used space of the file system of dataDir, in percent"),
  /** Median time until an acknowledgement. */
  PUBLISH_ACK_P50(
      "publish_ack_p50_micros",
      null,
      Merge.MAX,
      "Median time from reading a QoS 1 or 2 PUBLISH to acknowledging it, in microseconds"),
  /** 99th percentile of the time until an acknowledgement. */
  PUBLISH_ACK_P99(
      "publish_ack_p99_micros",
      null,
      Merge.MAX,
      "99th percentile of the time from reading a QoS 1 or 2 PUBLISH to acknowledging it, in"
          + " microseconds");

  /** Stands for a value that is not known. */
  public static final long UNKNOWN = -1;

  /** How the values of several nodes are merged. */
  private enum Merge {
    SUM,
    MAX
  }

  private final String label;
  private final @Nullable String rateLabel;
  private final Merge merge;
  private final String description;

  Series(String label, @Nullable String rateLabel, Merge merge, String description) {
    this.label = label;
    this.rateLabel = rateLabel;
    this.merge = merge;
    this.description = description;
  }

  /** The name in the API and between nodes. */
  public String label() {
    return label;
  }

  /** The name of the rate per second; null unless samples contain an increase. */
  public @Nullable String rateLabel() {
    return rateLabel;
  }

  /** Returns the series with a label; null if there is none. */
  static @Nullable Series find(String label) {
    for (Series series : values()) {
      if (series.label.equals(label)) {
        return series;
      }
    }
    return null;
  }

  /** The description of the series, without a period. */
  public String description() {
    return isHighestOfNodes() ? description + "; of several nodes, the highest value" : description;
  }

  private boolean isHighestOfNodes() {
    return merge == Merge.MAX && this != TOPICS;
  }

  /** Merges the values of two nodes; either may be {@link #UNKNOWN}. */
  long merge(long one, long other) {
    if (one == UNKNOWN || other == UNKNOWN) {
      return Math.max(one, other);
    }
    return merge == Merge.SUM ? one + other : Math.max(one, other);
  }
}
