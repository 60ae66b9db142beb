package io.fjordmq.broker.events;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last events of each client that this node has seen recently, in bounded memory. Thread-safe.
 *
 * <p>Clients are distributed over shards by client identifier, each with its own lock, so that
 * event loops rarely wait for each other. A lock is only held for a few map operations.
 *
 * <p>Clients that were connected to this node and all others ({@link
 * ClientHistory#recordUnconnected}) are kept apart. The others can use at most a quarter of the
 * limits; otherwise, CONNECTs with random client identifiers would evict all other events.
 */
public final class ClientEventLog implements ClientHistory {
  private static final int MAX_SHARDS = 32;
  private static final int MIN_CLIENTS_PER_SHARD = 64;

  /** The clients whose identifiers have the same hash. Guarded by its own monitor. */
  private static final class Shard {
    private final RecentClients connected;
    private final RecentClients others;

    private Shard(int maxClients, long maxBytes) {
      int maxOthers = Math.max(1, maxClients / 4);
      others = new RecentClients(maxOthers, maxBytes / 4);
      connected = new RecentClients(Math.max(1, maxClients - maxOthers), maxBytes - maxBytes / 4);
    }

    private synchronized void record(RecentClients.Key key, ClientEvent event, long nowMillis) {
      if (!connected.contains(key)) {
        ClientRecord before = others.remove(key);
        if (before != null) {
          connected.put(key, before);
        }
      }
      connected.add(key, event, nowMillis);
    }

    private synchronized void recordUnconnected(
        RecentClients.Key key, ClientEvent event, long nowMillis) {
      (connected.contains(key) ? connected : others).add(key, event, nowMillis);
    }

    private synchronized void recordIfKnown(
        RecentClients.Key key, ClientEvent event, long nowMillis) {
      if (!connected.addIfPresent(key, event, nowMillis)) {
        others.addIfPresent(key, event, nowMillis);
      }
    }

    private synchronized void find(
        @Nullable String tenant, String clientId, List<RecordedEvent> found) {
      connected.find(tenant, clientId, found);
      others.find(tenant, clientId, found);
    }

    private synchronized int size() {
      return connected.size() + others.size();
    }

    private synchronized long bytes() {
      return connected.bytes() + others.bytes();
    }
  }

  private final InstantSource clock;
  private final Shard[] shards;

  /**
   * @param clock the wall clock
   */
  public ClientEventLog(EventsSettings settings, InstantSource clock) {
    this.clock = clock;
    int max = settings.maxClients();
    shards =
        new Shard[max == 0 ? 0 : Math.max(1, Math.min(MAX_SHARDS, max / MIN_CLIENTS_PER_SHARD))];
    for (int i = 0; i < shards.length; i++) {
      shards[i] =
          new Shard((max + shards.length - 1) / shards.length, settings.maxBytes() / shards.length);
    }
  }

  @Override
  public void record(String tenant, String clientId, ClientEvent event) {
    if (shards.length > 0) {
      shard(clientId).record(new RecentClients.Key(tenant, clientId), event, clock.millis());
    }
  }

  @Override
  public void recordUnconnected(@Nullable String tenant, String clientId, ClientEvent event) {
    if (shards.length > 0) {
      shard(clientId)
          .recordUnconnected(new RecentClients.Key(tenant, clientId), event, clock.millis());
    }
  }

  @Override
  public void recordIfKnown(String tenant, String clientId, ClientEvent event) {
    if (shards.length > 0) {
      shard(clientId).recordIfKnown(new RecentClients.Key(tenant, clientId), event, clock.millis());
    }
  }

  /**
   * Returns the events of a client on this node, oldest first; empty if this node knows none.
   *
   * @param tenant null for the clients of all tenants with this identifier, and for connection
   *     attempts that were not authenticated
   */
  public List<RecordedEvent> find(@Nullable String tenant, String clientId) {
    List<RecordedEvent> found = new ArrayList<>();
    if (shards.length > 0) {
      shard(clientId).find(tenant, clientId, found);
    }
    found.sort(Comparator.comparingLong(RecordedEvent::atMillis));
    return found;
  }

  /** The number of clients with events. */
  public int size() {
    int size = 0;
    for (Shard shard : shards) {
      size += shard.size();
    }
    return size;
  }

  /** The approximate memory of all events. */
  public long bytes() {
    long bytes = 0;
    for (Shard shard : shards) {
      bytes += shard.bytes();
    }
    return bytes;
  }

  private Shard shard(String clientId) {
    int hash = clientId.hashCode();
    hash ^= hash >>> 16;
    return shards[Math.floorMod(hash, shards.length)];
  }
}
