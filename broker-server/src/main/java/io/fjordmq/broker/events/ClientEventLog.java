package io.fjordmq.broker.events;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
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
 *
 * <p>A client whose only event is that it has connected is not in the log: its connection keeps the
 * event ({@link ConnectEvent}) until the log records another event of the client. A client that is
 * in the log when it connects stays in it.
 */
public final class ClientEventLog implements ClientHistory {
  private static final int MAX_SHARDS = 32;
  private static final int MIN_CLIENTS_PER_SHARD = 64;
  private static final int GOLDEN_RATIO = 0x9E3779B9;

  /** The clients whose identifiers have the same hash. Guarded by its own monitor. */
  private static final class Shard {
    private final RecentClients connected;
    private final RecentClients others;

    private Shard(int maxClients, long maxBytes) {
      int maxOthers = Math.max(1, maxClients / 4);
      others = new RecentClients(maxOthers, maxBytes / 4);
      connected = new RecentClients(Math.max(1, maxClients - maxOthers), maxBytes - maxBytes / 4);
    }

    private synchronized void recordConnected(
        RecentClients.Key key, ConnectEvent connect, long nowMillis) {
      if (contains(key)) {
        record(key, connect.event(), nowMillis);
      } else {
        connect.keep(nowMillis);
      }
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

    private synchronized void record(
        RecentClients.Key key, @Nullable ConnectEvent connect, ClientEvent event, long nowMillis) {
      take(key, connect);
      record(key, event, nowMillis);
    }

    private synchronized void recordUnconnected(
        RecentClients.Key key, @Nullable ConnectEvent connect, ClientEvent event, long nowMillis) {
      take(key, connect);
      (connected.contains(key) ? connected : others).add(key, event, nowMillis);
    }

    private synchronized void recordIfKnown(
        RecentClients.Key key, @Nullable ConnectEvent connect, ClientEvent event, long nowMillis) {
      take(key, connect);
      if (!connected.addIfPresent(key, event, nowMillis)) {
        others.addIfPresent(key, event, nowMillis);
      }
    }

    /** Records the connect event if its connection keeps it. */
    private void take(RecentClients.Key key, @Nullable ConnectEvent connect) {
      long atMillis = connect == null ? ConnectEvent.NONE : connect.keptAtMillis();
      if (connect != null && atMillis != ConnectEvent.NONE) {
        record(key, connect.event(), atMillis);
        connect.release();
      }
    }

    private boolean contains(RecentClients.Key key) {
      return connected.contains(key) || others.contains(key);
    }

    /** Adds the connect event to the list if its connection keeps it. */
    private synchronized void findKept(
        String tenant, ConnectEvent connect, List<RecordedEvent> found) {
      long atMillis = connect.keptAtMillis();
      if (atMillis != ConnectEvent.NONE) {
        found.add(new RecordedEvent(tenant, atMillis, atMillis, 1, connect.event()));
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
  private volatile ConnectEvent.Connections connections = (tenant, clientId) -> null;
  private volatile Supplier<? extends Collection<String>> tenants = List::of;

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

  /**
   * Sets where connect events are kept. Until then, none are found there.
   *
   * @param tenants the tenants that this node knows
   */
  public void findConnectsIn(
      ConnectEvent.Connections connections, Supplier<? extends Collection<String>> tenants) {
    this.connections = connections;
    this.tenants = tenants;
  }

  @Override
  public void recordConnected(String tenant, String clientId, ConnectEvent connect) {
    if (shards.length > 0) {
      shard(clientId)
          .recordConnected(new RecentClients.Key(tenant, clientId), connect, clock.millis());
    }
  }

  @Override
  public void record(String tenant, String clientId, ConnectEvent connect, ClientEvent event) {
    if (shards.length > 0) {
      shard(clientId)
          .record(new RecentClients.Key(tenant, clientId), connect, event, clock.millis());
    }
  }

  @Override
  public void record(String tenant, String clientId, ClientEvent event) {
    if (shards.length > 0) {
      shard(clientId)
          .record(
              new RecentClients.Key(tenant, clientId),
              connections.find(tenant, clientId),
              event,
              clock.millis());
    }
  }

  @Override
  public void recordUnconnected(@Nullable String tenant, String clientId, ClientEvent event) {
    if (shards.length > 0) {
      shard(clientId)
          .recordUnconnected(
              new RecentClients.Key(tenant, clientId),
              tenant == null ? null : connections.find(tenant, clientId),
              event,
              clock.millis());
    }
  }

  @Override
  public void recordIfKnown(String tenant, String clientId, ClientEvent event) {
    if (shards.length > 0) {
      shard(clientId)
          .recordIfKnown(
              new RecentClients.Key(tenant, clientId),
              connections.find(tenant, clientId),
              event,
              clock.millis());
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
      Shard shard = shard(clientId);
      shard.find(tenant, clientId, found);
      for (String searched : tenant == null ? tenants.get() : List.of(tenant)) {
        ConnectEvent connect = connections.find(searched, clientId);
        if (connect != null) {
          shard.findKept(searched, connect, found);
        }
      }
    }
    found.sort(Comparator.comparingLong(RecordedEvent::atMillis));
    return found;
  }

  /** The number of clients with events, apart from connect events that connections keep. */
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
    // The hash codes of numbered identifiers are close to each other: the high bits of a product
    // with the golden ratio spread them evenly.
    int spread = clientId.hashCode() * GOLDEN_RATIO >>> 16;
    return shards[spread % shards.length];
  }
}
