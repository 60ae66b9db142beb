package io.fjordmq.cluster.metadata;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An immutable snapshot of all records.
 *
 * <p>A write copies the map but not the records. This is cheap enough: there are thousands of
 * records, which change a few times a second at most but are read constantly.
 */
public final class MetadataView {
  static final MetadataView EMPTY = new MetadataView(0, new TreeMap<>());

  private final long version;
  private final NavigableMap<String, MetadataRecord> records;

  private MetadataView(long version, NavigableMap<String, MetadataRecord> records) {
    this.version = version;
    this.records = Collections.unmodifiableNavigableMap(records);
  }

  static MetadataView of(long version, Collection<MetadataRecord> records) {
    NavigableMap<String, MetadataRecord> map = new TreeMap<>();
    records.forEach(record -> map.put(record.key(), record));
    return new MetadataView(version, map);
  }

  /** Returns the number of batches applied since the cluster was created. */
  public long version() {
    return version;
  }

  public @Nullable MetadataRecord get(String key) {
    return records.get(key);
  }

  /** Returns the records whose keys start with the prefix, in key order. */
  public Collection<MetadataRecord> withPrefix(String prefix) {
    // No key contains a character this large.
    return records.subMap(prefix, true, prefix + Character.MAX_VALUE, false).values();
  }

  /** Returns all records, in key order. */
  public Collection<MetadataRecord> records() {
    return records.values();
  }

  /**
   * Returns the first change of the batch whose expected version does not match; null if all match.
   */
  WriteResult.@Nullable Conflict findConflict(List<Change> batch) {
    for (Change change : batch) {
      MetadataRecord record = records.get(change.key());
      long actual = record == null ? Change.ABSENT : record.version();
      if (change.expectedVersion() != Change.ANY && change.expectedVersion() != actual) {
        return new WriteResult.Conflict(change.key(), actual);
      }
    }
    return null;
  }

  /** Returns the view after applying a batch without conflicts. */
  MetadataView with(List<Change> batch) {
    NavigableMap<String, MetadataRecord> next = new TreeMap<>(records);
    for (Change change : batch) {
      byte[] value = change.value();
      if (value == null) {
        next.remove(change.key());
      } else {
        next.put(change.key(), new MetadataRecord(change.key(), value, version + 1));
      }
    }
    return new MetadataView(version + 1, next);
  }

  /**
   * Returns the changes of the batch that led from an earlier view to this one, in key order. Costs
   * as much as the batch is large, unlike {@link #updatesSince}.
   */
  List<MetadataUpdate> updatesOf(List<Change> batch, MetadataView before) {
    return batch.stream()
        .map(Change::key)
        .filter(key -> records.containsKey(key) || before.records.containsKey(key))
        .sorted()
        .map(key -> new MetadataUpdate(key, before.records.get(key), records.get(key)))
        .toList();
  }

  /** Returns the changes since an earlier view, in key order. */
  List<MetadataUpdate> updatesSince(MetadataView before) {
    TreeMap<String, MetadataUpdate> updates = new TreeMap<>();
    for (MetadataRecord record : before.records.values()) {
      if (!records.containsKey(record.key())) {
        updates.put(record.key(), new MetadataUpdate(record.key(), record, null));
      }
    }
    for (MetadataRecord record : records.values()) {
      MetadataRecord old = before.records.get(record.key());
      if (old == null || old.version() != record.version()) {
        updates.put(record.key(), new MetadataUpdate(record.key(), old, record));
      }
    }
    return new ArrayList<>(updates.values());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MetadataView that
        && version == that.version
        && records.equals(that.records);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(version);
  }

  @Override
  public String toString() {
    return "version " + version + ": " + records.values();
  }
}
