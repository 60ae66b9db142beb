package io.fjordmq.range.kv;

import org.jspecify.annotations.Nullable;

/** Reads ordered keys (unsigned byte order). Arrays returned belong to the caller. */
public interface KvReader {
  byte @Nullable [] get(byte[] key);

  /**
   * Visits entries with {@code from <= key < to} in ascending order until the visitor returns
   * false.
   *
   * @param to null for no upper bound
   */
  void scan(byte[] from, byte @Nullable [] to, Visitor visitor);

  /** The same in descending order, from just below {@code to} down to {@code from}. */
  void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor);

  /** Called for each entry of a scan. */
  @FunctionalInterface
  interface Visitor {
    /** Returns whether to go on. */
    boolean visit(byte[] key, byte[] value);
  }
}
