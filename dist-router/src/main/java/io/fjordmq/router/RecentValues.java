package io.fjordmq.router;

import org.jspecify.annotations.Nullable;

/**
 * Makes equal values the same object if they come often, so that what a million routes have in
 * common is in memory once. Values that share a slot drive each other out. Not thread-safe.
 */
final class RecentValues<T> {
  private static final int SLOTS = 1_024;

  private final @Nullable Object[] seen = new @Nullable Object[SLOTS];

  /** The value itself or an equal one. */
  @SuppressWarnings("unchecked") // what equals a T and was put in here is one
  T sameAs(T value) {
    int hash = value.hashCode();
    int slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
    Object before = seen[slot];
    if (before != null && before.equals(value)) {
      return (T) before;
    }
    seen[slot] = value;
    return value;
  }
}
