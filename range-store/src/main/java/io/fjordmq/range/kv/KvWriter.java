package io.fjordmq.range.kv;

/**
 * Adds to a batch of writes. Reads through the same object see what was written before. Not
 * thread-safe.
 */
public interface KvWriter extends KvReader {
  void put(byte[] key, byte[] value);

  void delete(byte[] key);

  /** Deletes every key with {@code from <= key < to}. */
  void deleteRange(byte[] from, byte[] to);
}
