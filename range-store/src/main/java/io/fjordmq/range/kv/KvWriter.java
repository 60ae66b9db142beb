package io.fjordmq.range.kv;

/** Adds changes to a batch. Reads through the same object see earlier changes. Not thread-safe. */
public interface KvWriter extends KvReader {
  void put(byte[] key, byte[] value);

  /**
   * Puts a row under a key that has none: it never had one, or the row was deleted. If the new row
   * is deleted soon, neither change needs to reach the storage. If the key does have a row,
   * deleting the new row may bring back the old one.
   */
  void insert(byte[] key, byte[] value);

  void delete(byte[] key);

  /** Deletes every key with {@code from <= key < to}. */
  void deleteRange(byte[] from, byte[] to);
}
