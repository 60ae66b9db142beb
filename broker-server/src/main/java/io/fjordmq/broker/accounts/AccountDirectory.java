package io.fjordmq.broker.accounts;

import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accounts of the cluster as this node knows them from the metadata. An account whose record
 * this node cannot read does not exist for this node, so nobody can use it here. Thread-safe;
 * updated on the metadata thread.
 */
final class AccountDirectory implements MetadataListener {
  private static final Logger LOG = LoggerFactory.getLogger(AccountDirectory.class);

  // By metadata key.
  private volatile Map<String, StoredUser> users = Map.of();
  private volatile Keys keys = new Keys(Map.of(), Map.of());
  private volatile @Nullable TokenKey tokenKey;

  /**
   * @param byKey by metadata key
   */
  private record Keys(Map<String, StoredApiKey> byKey, Map<String, StoredApiKey> byId) {
    static Keys of(Map<String, StoredApiKey> byKey) {
      Map<String, StoredApiKey> byId = new HashMap<>();
      byKey.values().forEach(stored -> byId.put(stored.key().id(), stored));
      return new Keys(byKey, byId);
    }
  }

  @Override
  public void onChanged(MetadataView view, List<MetadataUpdate> updates) {
    users = next(users, StoredUser.PREFIX, updates, StoredUser::decode);
    Map<String, StoredApiKey> nextKeys =
        next(keys.byKey, StoredApiKey.PREFIX, updates, StoredApiKey::decode);
    if (nextKeys != keys.byKey) {
      keys = Keys.of(nextKeys);
    }
    for (MetadataUpdate update : updates) {
      if (update.key().equals(TokenKey.KEY)) {
        MetadataRecord record = update.record();
        tokenKey = record == null ? null : read(record, TokenKey::decode);
      }
    }
  }

  private static <T> Map<String, T> next(
      Map<String, T> present,
      String prefix,
      List<MetadataUpdate> updates,
      Function<byte[], T> decoder) {
    Map<String, T> next = present;
    for (MetadataUpdate update : updates) {
      if (!update.key().startsWith(prefix)) {
        continue;
      }
      if (next == present) {
        next = new TreeMap<>(present);
      }
      MetadataRecord record = update.record();
      T decoded = record == null ? null : read(record, decoder);
      if (decoded == null) {
        next.remove(update.key());
      } else {
        next.put(update.key(), decoded);
      }
    }
    return next;
  }

  private static <T> @Nullable T read(MetadataRecord record, Function<byte[], T> decoder) {
    try {
      return decoder.apply(record.value());
    } catch (RuntimeException e) { // would halt the metadata replica
      LOG.error(
          "Cannot decode an account in the metadata; it cannot be used on this node: {} record={}",
          e.getMessage(),
          record.key());
      return null;
    }
  }

  @Nullable StoredUser user(String name) {
    return users.get(StoredUser.key(name));
  }

  @Nullable StoredApiKey apiKey(String name) {
    return keys.byKey.get(StoredApiKey.key(name));
  }

  @Nullable StoredApiKey apiKeyById(String id) {
    return keys.byId.get(id);
  }

  @Nullable TokenKey tokenKey() {
    return tokenKey;
  }

  /** All users, ordered by name. */
  Collection<StoredUser> users() {
    return new ArrayList<>(users.values());
  }

  /** All API keys, ordered by name. */
  Collection<StoredApiKey> apiKeys() {
    return new ArrayList<>(keys.byKey.values());
  }
}
