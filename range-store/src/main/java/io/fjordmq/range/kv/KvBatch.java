package io.fjordmq.range.kv;

import java.util.Arrays;

/**
 * Changes to one space, in order. Reused between writes by {@link #clear}. Keeps the arrays it is
 * given: they must not be changed before it has been written. Not thread-safe.
 */
public final class KvBatch {
  /** What one change does. */
  enum Kind {
    PUT,
    INSERT,
    DELETE,
    DELETE_RANGE
  }

  private static final byte[] NOTHING = new byte[0];

  // Parallel arrays rather than objects: a batch holds thousands of changes, thousands of times a
  // second.
  private Kind[] kinds = new Kind[64];
  private byte[][] keys = new byte[64][];

  /** The value of a put or insert, the end of a range deletion, nothing for a deletion. */
  private byte[][] seconds = new byte[64][];

  private int size;
  private long bytes;

  public void put(byte[] key, byte[] value) {
    add(Kind.PUT, key, value);
  }

  /** Puts a row whose key has none; see {@link KvWriter#insert}. */
  public void insert(byte[] key, byte[] value) {
    add(Kind.INSERT, key, value);
  }

  public void delete(byte[] key) {
    add(Kind.DELETE, key, NOTHING);
  }

  /** Deletes every key with {@code from <= key < to}; nothing if that is empty. */
  public void deleteRange(byte[] from, byte[] to) {
    if (Arrays.compareUnsigned(from, to) < 0) {
      add(Kind.DELETE_RANGE, from, to);
    }
  }

  private void add(Kind kind, byte[] key, byte[] second) {
    if (size == kinds.length) {
      int capacity = size * 2;
      kinds = Arrays.copyOf(kinds, capacity);
      keys = Arrays.copyOf(keys, capacity);
      seconds = Arrays.copyOf(seconds, capacity);
    }
    kinds[size] = kind;
    keys[size] = key;
    seconds[size] = second;
    size++;
    bytes += key.length + second.length;
  }

  /** Number of changes. */
  public int size() {
    return size;
  }

  /** Bytes of all keys and values. */
  public long bytes() {
    return bytes;
  }

  public void clear() {
    Arrays.fill(kinds, 0, size, null);
    Arrays.fill(keys, 0, size, null);
    Arrays.fill(seconds, 0, size, null);
    size = 0;
    bytes = 0;
  }

  /** Shows the changes from position {@code first} on, in order. */
  void replay(int first, Sink sink) {
    for (int i = first; i < size; i++) {
      switch (kinds[i]) {
        case PUT -> sink.put(keys[i], seconds[i]);
        case INSERT -> sink.insert(keys[i], seconds[i]);
        case DELETE -> sink.delete(keys[i]);
        case DELETE_RANGE -> sink.deleteRange(keys[i], seconds[i]);
      }
    }
  }

  /** Takes the changes of a batch. */
  interface Sink {
    void put(byte[] key, byte[] value);

    default void insert(byte[] key, byte[] value) {
      put(key, value);
    }

    void delete(byte[] key);

    void deleteRange(byte[] from, byte[] to);
  }
}
