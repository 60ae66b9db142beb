package io.fjordmq.broker.userdb;

import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.common.MalformedBytesException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rules of clients, users, groups and all clients. Callers are confined to their tenant by the
 * tenant of the {@link RuleOwner} that they name.
 *
 * <p>Thread-safe; nothing blocks. Futures fail with {@link RecordException} and complete on a
 * thread of the metadata group, which must not be blocked. Connected clients use changed rules from
 * their next action on.
 */
public final class RuleSets {
  private final ReplicatedRecords<RuleSet> records;
  private final Supplier<MetadataView> views;

  RuleSets(ReplicatedRecords<RuleSet> records, Supplier<MetadataView> views) {
    this.records = records;
    this.views = views;
  }

  /**
   * Returns one page of the rules of a kind in a tenant, ordered by the bytes of their names.
   *
   * @param like only those whose names contain this text, ignoring case; null for all
   */
  public Page<VersionedRules> list(
      RuleOwner.Kind kind, String tenant, @Nullable String like, int offset, int limit) {
    Page.Collector<VersionedRules> page = new Page.Collector<>(offset, limit);
    String prefix = kind.prefix() + HexNames.encode(tenant) + "/";
    for (MetadataRecord record : views.get().withPrefix(prefix)) {
      VersionedRules found = readable(record);
      if (found != null && (like == null || isLike(found.set().owner().name(), like))) {
        page.add(found);
      }
    }
    return page.page();
  }

  private static boolean isLike(String name, String like) {
    return name.toLowerCase(Locale.ROOT).contains(like.toLowerCase(Locale.ROOT));
  }

  private static @Nullable VersionedRules readable(MetadataRecord record) {
    try {
      return new VersionedRules(StoredRules.decode(record.value()), record.version());
    } catch (MalformedBytesException e) {
      return null; // the directory logs it when a client needs the rules
    }
  }

  /** Returns the rules of an owner; null if it has none. */
  public @Nullable VersionedRules find(RuleOwner owner) {
    String key = owner.key();
    MetadataRecord record = key == null ? null : views.get().get(key);
    return record == null ? null : readable(record);
  }

  /**
   * Creates the rules of several owners. Fails with INVALID, EXISTS if one of them has rules or is
   * named twice, FULL, CHANGED or UNAVAILABLE. They are written in batches, so a failure can leave
   * a part of them created.
   */
  public CompletableFuture<Void> create(List<RuleSet> sets) {
    List<Change> changes = new ArrayList<>();
    try {
      for (RuleSet set : sets) {
        Change change = Change.put(requireValid(set), StoredRules.encode(set), Change.ABSENT);
        if (changes.stream().anyMatch(other -> other.key().equals(change.key()))) {
          throw exists(set.owner());
        }
        changes.add(change);
      }
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    return records
        .read()
        .thenCompose(
            view -> {
              for (RuleSet set : sets) {
                if (view.get(UserDatabaseLimits.requireOwner(set.owner())) != null) {
                  throw exists(set.owner());
                }
              }
              UserDatabaseLimits.requireCapacity(view, 0, sets.size(), bytes(changes));
              return records.writeAll(changes);
            });
  }

  private static RecordException exists(RuleOwner owner) {
    return new RecordException(Kind.EXISTS, owner + " already has rules");
  }

  private static String requireValid(RuleSet set) {
    UserDatabaseLimits.requireRules(set.rules());
    return UserDatabaseLimits.requireOwner(set.owner());
  }

  private static long bytes(List<Change> changes) {
    long bytes = 0;
    for (Change change : changes) {
      byte[] value = change.value();
      bytes += change.key().length() + (value == null ? 0 : value.length);
    }
    return bytes;
  }

  /**
   * Sets the rules of an owner. Fails with INVALID, FULL, CHANGED or UNAVAILABLE.
   *
   * @param version fails with CHANGED if the rules have another version, so that nobody's change is
   *     lost; null to replace them in any case
   */
  public CompletableFuture<Void> put(RuleSet set, @Nullable Long version) {
    String key;
    try {
      key = requireValid(set);
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    byte[] value = StoredRules.encode(set);
    return records
        .read()
        .thenCompose(
            view -> {
              MetadataRecord record = view.get(key);
              long before = record == null ? Change.ABSENT : record.version();
              long found = record == null ? VersionedRules.NONE : record.version();
              if (version != null && version != found) {
                throw new RecordException(
                    Kind.CHANGED,
                    "the rules of "
                        + set.owner()
                        + " have changed since they were read; read them again");
              }
              int added = record == null ? 1 : 0;
              int bytes = key.length() + value.length;
              int bytesBefore = record == null ? 0 : key.length() + record.value().length;
              UserDatabaseLimits.requireCapacity(view, 0, added, bytes - bytesBefore);
              return records.write(Change.put(key, value, before));
            });
  }

  /** Removes the rules of an owner. Fails with NOT_FOUND, CHANGED or UNAVAILABLE. */
  public CompletableFuture<Void> remove(RuleOwner owner) {
    return records
        .read()
        .thenCompose(
            view -> {
              String key = owner.key();
              MetadataRecord record = key == null ? null : view.get(key);
              if (record == null) {
                throw new RecordException(Kind.NOT_FOUND, owner + " has no rules");
              }
              return records.write(Change.remove(record.key(), record.version()));
            });
  }
}
