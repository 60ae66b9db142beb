package io.fjordmq.router;

import org.jspecify.annotations.Nullable;

/**
 * A small lossy interner: replaces recently seen values with the same object, so that a value that
 * a million routes have in common is in memory only once. Values with the same slot evict each
 * other. Not thread-safe.
 */
final class LossyInterner<T> {
  private static final int SLOTS = 1_024;

  private final @Nullable Object[] slots = new @Nullable Object[SLOTS];

  /** Returns a recently seen equal value, or the value itself. */
  @SuppressWarnings("unchecked") // only values of type T are stored
  T intern(T value) {
    int hash = value.hashCode();
    int slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
    Object before = slots[slot];
    if (before != null && before.equals(value)) {
      return (T) before;
    }
    slots[slot] = value;
    return value;
  }
}
