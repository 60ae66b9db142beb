package io.fjordmq.range.kv;

import org.jspecify.annotations.Nullable;

/** Reads rows ordered by key, in unsigned byte order. Returned arrays belong to the caller. */
public interface KvReader {
  byte @Nullable [] get(byte[] key);

  /**
   * Visits entries with {@code from <= key < to} in ascending order until the visitor returns
   * false.
   *
   * @param to null for no upper bound
   */
  void scan(byte[] from, byte @Nullable [] to, Visitor visitor);

  /** Visits the same entries in descending order, from just below {@code to} to {@code from}. */
  void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor);

  /** Called for each entry of a scan. */
  @FunctionalInterface
  interface Visitor {
    /** Returns whether to continue the scan. */
    boolean visit(byte[] key, byte[] value);
  }
}
