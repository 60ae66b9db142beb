package io.fjordmq.range.kv;

import java.util.Arrays;

/**
 * An ordered list of changes to one space, reusable after {@link #clear}. Keeps references to the
 * arrays passed in, which must not be modified before the batch is written. Not thread-safe.
 */
public final class KvBatch {
  /** The kinds of changes. */
  enum Kind {
    PUT,
    INSERT,
    DELETE,
    DELETE_RANGE
  }

  private static final byte[] NO_VALUE = new byte[0];

  // Parallel arrays rather than objects: a batch holds thousands of changes, thousands of times a
  // second.
  private Kind[] kinds = new Kind[64];
  private byte[][] keys = new byte[64][];

  /** The value of a put or insert, the end of a range deletion, or empty for a deletion. */
  private byte[][] values = new byte[64][];

  private int size;
  private long bytes;

  public void put(byte[] key, byte[] value) {
    add(Kind.PUT, key, value);
  }

  /** Puts a row whose key has no row yet; see {@link KvWriter#insert}. */
  public void insert(byte[] key, byte[] value) {
    add(Kind.INSERT, key, value);
  }

  public void delete(byte[] key) {
    add(Kind.DELETE, key, NO_VALUE);
  }

  /** Deletes every key with {@code from <= key < to}; does nothing if the interval is empty. */
  public void deleteRange(byte[] from, byte[] to) {
    if (Arrays.compareUnsigned(from, to) < 0) {
      add(Kind.DELETE_RANGE, from, to);
    }
  }

  private void add(Kind kind, byte[] key, byte[] value) {
    if (size == kinds.length) {
      int capacity = size * 2;
      kinds = Arrays.copyOf(kinds, capacity);
      keys = Arrays.copyOf(keys, capacity);
      values = Arrays.copyOf(values, capacity);
    }
    kinds[size] = kind;
    keys[size] = key;
    values[size] = value;
    size++;
    bytes += key.length + value.length;
  }

  /** Returns the number of changes. */
  public int size() {
    return size;
  }

  /** Returns the total size of all keys and values. */
  public long bytes() {
    return bytes;
  }

  public void clear() {
    Arrays.fill(kinds, 0, size, null);
    Arrays.fill(keys, 0, size, null);
    Arrays.fill(values, 0, size, null);
    size = 0;
    bytes = 0;
  }

  /** Passes the changes at and after position {@code first} to the sink, in order. */
  void replay(int first, Sink sink) {
    for (int i = first; i < size; i++) {
      switch (kinds[i]) {
        case PUT -> sink.put(keys[i], values[i]);
        case INSERT -> sink.insert(keys[i], values[i]);
        case DELETE -> sink.delete(keys[i]);
        case DELETE_RANGE -> sink.deleteRange(keys[i], values[i]);
      }
    }
  }

  /** Receives the changes of a batch. */
  interface Sink {
    void put(byte[] key, byte[] value);

    default void insert(byte[] key, byte[] value) {
      put(key, value);
    }

    void delete(byte[] key);

    void deleteRange(byte[] from, byte[] to);
  }
}
