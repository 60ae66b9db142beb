package io.fjordmq.broker.sys;

import io.fjordmq.inbox.InboxStoreStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;

/**
 * The topics {@code $SYS/brokers/…} as in EMQX: information about this node and some of its
 * statistics.
 */
final class EmqxTopics {
  private static final String ROOT = "$SYS/brokers";

  private final String node;
  private final String version;
  private long maxClients;

  EmqxTopics(String node, String version) {
    this.node = node;
    this.version = version;
  }

  /** Returns the topic prefix for the events of a client. */
  static String client(String node, String clientId) {
    return ROOT + "/" + node + "/clients/" + clientId + "/";
  }

  /** Adds the topics with their current values. */
  void addTo(Map<String, String> values, SysValues stats) {
    values.put(ROOT, node);
    put(values, "version", version);
    put(values, "sysdescr", "FjordMQ");
    put(values, "uptime", uptime(Duration.ofMillis(stats.uptimeMillis())));
    put(
        values,
        "datetime",
        DateTimeFormatter.ISO_INSTANT.format(
            Instant.ofEpochSecond(stats.nowMillis() / 1_000).atOffset(ZoneOffset.UTC)));
    InboxStoreStatus inboxes = stats.status().inboxes();
    long connected = stats.clientTraffic().connected();
    maxClients = Math.max(maxClients, connected);
    put(values, "stats/connections/count", Long.toString(connected));
    put(values, "stats/connections/max", Long.toString(maxClients));
    put(
        values,
        "stats/subscriptions/count",
        Long.toString(inboxes.subscriptions() + stats.clientTraffic().transientSubscriptions()));
    put(values, "stats/retained/count", Long.toString(stats.status().retained()));
  }

  private static String uptime(Duration time) {
    return "%d days, %d hours, %d minutes, %d seconds"
        .formatted(time.toDays(), time.toHoursPart(), time.toMinutesPart(), time.toSecondsPart());
  }

  private void put(Map<String, String> values, String name, String value) {
    values.put(ROOT + "/" + node + "/" + name, value);
  }
}
