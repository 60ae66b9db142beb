package io.fjordmq.broker.delivery;

import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The clients connected to this node in the order of the inbox store, so that lists of connected
 * and offline clients can be merged. It takes about 40 bytes per client: the keys are those of the
 * registry. Thread-safe.
 */
final class ClientIndex {
  /**
   * Identifies a client. Keys of the index know the bucket of their client; keys for lookups by
   * name do not, because computing it takes longer than a lookup. The bucket is therefore not part
   * of the identity.
   */
  static final class Key implements Comparable<Key> {
    private static final int UNKNOWN = -1;

    private final String tenant;
    private final String clientId;
    private final int bucket;

    private Key(String tenant, String clientId, int bucket) {
      this.tenant = tenant;
      this.clientId = clientId;
      this.bucket = bucket;
    }

    /** Returns a key for lookups by name. */
    static Key named(String tenant, String clientId) {
      return new Key(tenant, clientId, UNKNOWN);
    }

    /** Returns a key for the index. */
    static Key indexed(String tenant, String clientId) {
      return new Key(tenant, clientId, new InboxId(tenant, clientId).bucket());
    }

    static Key at(SessionPosition position) {
      return new Key(position.tenant(), position.clientId(), position.bucket());
    }

    SessionPosition position() {
      return new SessionPosition(bucket, tenant, clientId);
    }

    @Override
    public int compareTo(Key other) {
      return bucket != other.bucket
          ? Integer.compare(bucket, other.bucket)
          : SessionPosition.compareNames(tenant, clientId, other.tenant, other.clientId);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key that
          && clientId.equals(that.clientId)
          && tenant.equals(that.tenant);
    }

    @Override
    public int hashCode() {
      return 31 * tenant.hashCode() + clientId.hashCode();
    }
  }

  private final ConcurrentSkipListMap<Key, Registration> clients = new ConcurrentSkipListMap<>();

  void put(Key key, Registration registration) {
    clients.put(key, registration);
  }

  void remove(Key key) {
    clients.remove(key);
  }

  /**
   * Visits clients in order. Clients that connect or disconnect meanwhile may be missed.
   *
   * @param tenant null for all tenants; the clients of other tenants are skipped
   * @param maxVisited maximum number of clients to visit and skip
   * @param visitor returns false to end the scan before the client
   * @return where the next scan continues; {@link SessionPosition#END} if no clients are left
   */
  SessionPosition scan(
      SessionPosition from,
      @Nullable String tenant,
      int maxVisited,
      Predicate<LiveSession> visitor) {
    int visited = 0;
    SessionPosition position = from;
    while (position.bucket() < InboxId.BUCKETS) {
      SessionPosition jump = null;
      for (Map.Entry<Key, Registration> entry : clients.tailMap(Key.at(position)).entrySet()) {
        Key key = entry.getKey();
        if (visited++ >= maxVisited) {
          return key.position();
        }
        int order = tenant == null ? 0 : SessionPosition.compareText(key.tenant, tenant);
        if (order != 0) {
          int bucket = order < 0 ? key.bucket : key.bucket + 1;
          jump = new SessionPosition(bucket, order < 0 ? String.valueOf(tenant) : "", "");
          break;
        }
        if (!visitor.test(entry.getValue().session())) {
          return key.position();
        }
      }
      position = jump == null ? SessionPosition.END : jump;
    }
    return SessionPosition.END;
  }
}
