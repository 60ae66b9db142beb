package io.fjordmq.broker.accounts;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The accounts of the cluster as this node knows them from the metadata. An account whose record
 * this node cannot read does not exist for this node, so nobody can use it here. Thread-safe;
 * updated on the metadata thread.
 */
final class AccountDirectory {
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

  /**
   * @param byKey by metadata key
   */
  void setUsers(Map<String, StoredUser> byKey) {
    users = new TreeMap<>(byKey);
  }

  /**
   * @param byKey by metadata key
   */
  void setApiKeys(Map<String, StoredApiKey> byKey) {
    keys = Keys.of(new TreeMap<>(byKey));
  }

  void setTokenKey(@Nullable TokenKey key) {
    tokenKey = key;
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
