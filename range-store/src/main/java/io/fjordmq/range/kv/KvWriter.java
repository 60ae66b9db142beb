package io.fjordmq.range.kv;

/**
 * Adds to a batch of writes. Reads through the same object see what was written before. Not
 * thread-safe.
 */
public interface KvWriter extends KvReader {
  void put(byte[] key, byte[] value);

  /**
   * Puts a row whose key has none: it never had one, or it was deleted. Then, if it is deleted
   * again soon, neither need ever reach the storage; where the key has a row after all, deleting it
   * may bring that one back.
   */
  void insert(byte[] key, byte[] value);

  void delete(byte[] key);

  /** Deletes every key with {@code from <= key < to}. */
  void deleteRange(byte[] from, byte[] to);
}
