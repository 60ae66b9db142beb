package io.fjordmq.broker.events;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The records of a bounded number of clients; drops the one seen longest ago. Not thread-safe. */
final class RecentClients {
  /**
   * A client.
   *
   * @param tenant null if the client was not authenticated
   */
  record Key(@Nullable String tenant, String clientId) {}

  private final int maxClients;
  private final long maxBytes;
  private final LinkedHashMap<Key, ClientRecord> records = new LinkedHashMap<>(8); // oldest first
  private long bytes;

  RecentClients(int maxClients, long maxBytes) {
    this.maxClients = maxClients;
    this.maxBytes = maxBytes;
  }

  int size() {
    return records.size();
  }

  long bytes() {
    return bytes;
  }

  boolean contains(Key key) {
    return records.containsKey(key);
  }

  /** Records an event of a client, which is now the one seen last. */
  void add(Key key, ClientEvent event, long nowMillis) {
    ClientRecord client = remove(key);
    if (client == null) {
      client = new ClientRecord(key.clientId);
    }
    client.add(event, nowMillis);
    put(key, client);
    shrink();
  }

  /**
   * Records an event of a client that has a record, without counting the client as seen; returns
   * whether it has one.
   */
  boolean addIfPresent(Key key, ClientEvent event, long nowMillis) {
    ClientRecord client = records.get(key);
    if (client == null) {
      return false;
    }
    bytes -= client.bytes();
    client.add(event, nowMillis);
    bytes += client.bytes();
    shrink();
    return true;
  }

  /** Adds the record of a client that has none. */
  void put(Key key, ClientRecord client) {
    records.put(key, client);
    bytes += client.bytes();
  }

  /** Removes the record of a client; returns null if there is none. */
  @Nullable ClientRecord remove(Key key) {
    ClientRecord client = records.remove(key);
    if (client != null) {
      bytes -= client.bytes();
    }
    return client;
  }

  /** Drops the clients seen longest ago until the limits hold. */
  private void shrink() {
    Iterator<ClientRecord> eldest = records.values().iterator();
    while (records.size() > 1 && (records.size() > maxClients || bytes > maxBytes)) {
      bytes -= eldest.next().bytes();
      eldest.remove();
    }
  }

  /**
   * Adds the events of the client to the list.
   *
   * @param tenant null for the clients of all tenants, and those that were not authenticated
   */
  void find(@Nullable String tenant, String clientId, List<RecordedEvent> found) {
    for (Map.Entry<Key, ClientRecord> entry : records.entrySet()) {
      Key key = entry.getKey();
      if (key.clientId.equals(clientId) && (tenant == null || tenant.equals(key.tenant))) {
        entry.getValue().copyTo(key.tenant, found);
      }
    }
  }
}
