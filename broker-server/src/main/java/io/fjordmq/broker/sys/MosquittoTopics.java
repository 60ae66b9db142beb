package io.fjordmq.broker.sys;

import io.fjordmq.broker.ops.ClientTraffic;
import io.fjordmq.inbox.InboxStoreStatus;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The topics {@code $SYS/broker/…} as in mosquitto 2.0. Keeps track of maxima and load averages.
 * Not thread-safe.
 */
final class MosquittoTopics {
  private static final String ROOT = "$SYS/broker/";

  private record Load(ToLongFunction<ClientTraffic> counter, LoadAverage average) {}

  private final Map<String, Load> loads = new LinkedHashMap<>();
  private final String version;
  private long lastMillis;
  private long maxClients;
  private long maxHeap;

  /**
   * @param nowMillis the start of the first averaging interval
   */
  MosquittoTopics(String version, long nowMillis) {
    this.version = version;
    this.lastMillis = nowMillis;
    addLoad("messages/received", ClientTraffic::packetsReceived);
    addLoad("messages/sent", ClientTraffic::packetsSent);
    addLoad("publish/received", ClientTraffic::publishesReceived);
    addLoad("publish/sent", ClientTraffic::publishesSent);
    addLoad("publish/dropped", ClientTraffic::publishesDropped);
    addLoad("bytes/received", ClientTraffic::bytesReceived);
    addLoad("bytes/sent", ClientTraffic::bytesSent);
    addLoad("sockets", ClientTraffic::sockets);
    addLoad("connections", ClientTraffic::connects);
  }

  private void addLoad(String name, ToLongFunction<ClientTraffic> counter) {
    loads.put(name, new Load(counter, new LoadAverage()));
  }

  /** Adds the topics with their current values. */
  void addTo(Map<String, String> values, SysValues stats) {
    put(values, "version", "FjordMQ version " + version);
    put(values, "uptime", stats.uptimeMillis() / 1_000 + " seconds");
    addClients(values, stats);
    addTraffic(values, stats.clientTraffic());
    addStored(values, stats);
    maxHeap = Math.max(maxHeap, stats.heapBytes());
    put(values, "heap/current", stats.heapBytes());
    put(values, "heap/maximum", maxHeap);
    addLoads(values, stats);
  }

  private void addClients(Map<String, String> values, SysValues stats) {
    InboxStoreStatus inboxes = stats.status().inboxes();
    long connected = stats.clientTraffic().connected();
    long disconnected = Math.max(0, inboxes.inboxes() - inboxes.attached());
    maxClients = Math.max(maxClients, connected);
    put(values, "clients/connected", connected);
    put(values, "clients/active", connected);
    put(values, "clients/disconnected", disconnected);
    put(values, "clients/inactive", disconnected);
    put(values, "clients/total", connected + disconnected);
    put(values, "clients/maximum", maxClients);
    put(values, "clients/expired", stats.clientTraffic().expiredSessions());
  }

  private static void addTraffic(Map<String, String> values, ClientTraffic clientTraffic) {
    put(values, "messages/received", clientTraffic.packetsReceived());
    put(values, "messages/sent", clientTraffic.packetsSent());
    put(values, "bytes/received", clientTraffic.bytesReceived());
    put(values, "bytes/sent", clientTraffic.bytesSent());
    put(values, "publish/messages/received", clientTraffic.publishesReceived());
    put(values, "publish/messages/sent", clientTraffic.publishesSent());
    put(values, "publish/messages/dropped", clientTraffic.publishesDropped());
    put(values, "publish/bytes/received", clientTraffic.publishBytesReceived());
    put(values, "publish/bytes/sent", clientTraffic.publishBytesSent());
  }

  private static void addStored(Map<String, String> values, SysValues stats) {
    InboxStoreStatus inboxes = stats.status().inboxes();
    long retained = stats.status().retained();
    long stored = inboxes.queuedMessages() + retained;
    put(values, "messages/stored", stored);
    put(values, "store/messages/count", stored);
    put(values, "retained messages/count", retained);
    put(
        values,
        "subscriptions/count",
        inboxes.subscriptions() + stats.clientTraffic().transientSubscriptions());
  }

  private void addLoads(Map<String, String> values, SysValues stats) {
    long elapsed = stats.nowMillis() - lastMillis;
    lastMillis = stats.nowMillis();
    loads.forEach(
        (name, load) -> {
          load.average.update(load.counter.applyAsLong(stats.clientTraffic()), elapsed);
          for (int i = 0; i < LoadAverage.MINUTES.length; i++) {
            String topic = "load/" + name + "/" + LoadAverage.MINUTES[i] + "min";
            put(values, topic, String.format(Locale.ROOT, "%.2f", load.average.average(i)));
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
