package io.fjordmq.broker.sys;

import io.fjordmq.broker.ops.Traffic;
import io.fjordmq.inbox.InboxStoreStatus;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * {@code $SYS/broker/…} as mosquitto 2.0 has it. Remembers what the highest figures were and how
 * counters grow; used by one thread.
 */
final class MosquittoTopics {
  private static final String ROOT = "$SYS/broker/";

  private record Load(ToLongFunction<Traffic> counter, LoadAverage average) {}

  private final Map<String, Load> loads = new LinkedHashMap<>();
  private final String version;
  private long lastMillis;
  private long mostClients;
  private long mostHeap;

  /**
   * @param nowMillis from which on counters are looked at
   */
  MosquittoTopics(String version, long nowMillis) {
    this.version = version;
    this.lastMillis = nowMillis;
    load("messages/received", Traffic::packetsReceived);
    load("messages/sent", Traffic::packetsSent);
    load("publish/received", Traffic::publishesReceived);
    load("publish/sent", Traffic::publishesSent);
    load("publish/dropped", Traffic::publishesDropped);
    load("bytes/received", Traffic::bytesReceived);
    load("bytes/sent", Traffic::bytesSent);
    load("sockets", Traffic::sockets);
    load("connections", Traffic::connects);
  }

  private void load(String name, ToLongFunction<Traffic> counter) {
    loads.put(name, new Load(counter, new LoadAverage()));
  }

  /** Adds topics with what they say now. */
  void addTo(Map<String, String> values, SysFigures figures) {
    put(values, "version", "FjordMQ version " + version);
    put(values, "uptime", figures.uptimeMillis() / 1_000 + " seconds");
    addClients(values, figures);
    addTraffic(values, figures.traffic());
    addStored(values, figures);
    mostHeap = Math.max(mostHeap, figures.heapBytes());
    put(values, "heap/current", figures.heapBytes());
    put(values, "heap/maximum", mostHeap);
    addLoads(values, figures);
  }

  private void addClients(Map<String, String> values, SysFigures figures) {
    InboxStoreStatus inboxes = figures.status().inboxes();
    long connected = figures.traffic().connected();
    long disconnected = Math.max(0, inboxes.inboxes() - inboxes.attached());
    mostClients = Math.max(mostClients, connected);
    put(values, "clients/connected", connected);
    put(values, "clients/active", connected);
    put(values, "clients/disconnected", disconnected);
    put(values, "clients/inactive", disconnected);
    put(values, "clients/total", connected + disconnected);
    put(values, "clients/maximum", mostClients);
    put(values, "clients/expired", figures.traffic().expiredSessions());
  }

  private static void addTraffic(Map<String, String> values, Traffic traffic) {
    put(values, "messages/received", traffic.packetsReceived());
    put(values, "messages/sent", traffic.packetsSent());
    put(values, "bytes/received", traffic.bytesReceived());
    put(values, "bytes/sent", traffic.bytesSent());
    put(values, "publish/messages/received", traffic.publishesReceived());
    put(values, "publish/messages/sent", traffic.publishesSent());
    put(values, "publish/messages/dropped", traffic.publishesDropped());
    put(values, "publish/bytes/received", traffic.publishBytesReceived());
    put(values, "publish/bytes/sent", traffic.publishBytesSent());
  }

  private static void addStored(Map<String, String> values, SysFigures figures) {
    InboxStoreStatus inboxes = figures.status().inboxes();
    long retained = figures.status().retained();
    long stored = inboxes.queuedMessages() + retained;
    put(values, "messages/stored", stored);
    put(values, "store/messages/count", stored);
    put(values, "retained messages/count", retained);
    put(
        values,
        "subscriptions/count",
        inboxes.subscriptions() + figures.traffic().transientSubscriptions());
  }

  private void addLoads(Map<String, String> values, SysFigures figures) {
    long elapsed = figures.nowMillis() - lastMillis;
    lastMillis = figures.nowMillis();
    loads.forEach(
        (name, load) -> {
          load.average.update(load.counter.applyAsLong(figures.traffic()), elapsed);
          for (int i = 0; i < LoadAverage.MINUTES.length; i++) {
            String topic = "load/" + name + "/" + LoadAverage.MINUTES[i] + "min";
            put(values, topic, String.format(Locale.ROOT, "%.2f", load.average.over(i)));
          }
        });
  }

  private static void put(Map<String, String> values, String name, long value) {
    put(values, name, Long.toString(value));
  }

  private static void put(Map<String, String> values, String name, String value) {
    values.put(ROOT + name, value);
  }
}
