package io.fjordmq.retain;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Indexes the topics of one replica by individual level and by depth, so that a lookup with
 * wildcards reads only rows that may match. Derived from the rows and kept in memory. The apply
 * thread updates it; any thread may read it.
 *
 * <p>Each topic has one entry per term. A term is the hash of a tenant, a position and the level at
 * that position. Entries are sorted by term, then by key. Because hashes can collide, the caller
 * must match every topic found against the filter.
 */
final class RetainedTopicIndex {
  /** Upper bound of the average size of an entry in {@link TermKeySet}. */
  private static final int ENTRY_BYTES = 32;

  /** Overhead of a key's array. */
  private static final int KEY_BYTES = 24;

  private static final int DEPTH = -1;

  private final TermKeySet entries = new TermKeySet();

  /** Adds the topic of a row and returns the estimated bytes it occupies. */
  long add(byte[] key) {
    forEachTerm(key, term -> entries.add(term, key));
    return estimateBytes(key);
  }

  /** Removes the topic of a row and returns the estimated bytes it occupied. */
  long remove(byte[] key) {
    forEachTerm(key, term -> entries.remove(term, key));
    return estimateBytes(key);
  }

  /** Estimates the bytes that a topic occupies. */
  static long estimateBytes(byte[] key) {
    return KEY_BYTES + key.length + (long) levelsOf(key) * ENTRY_BYTES;
  }

  /** Returns the number of levels, which is also the number of terms. */
  private static int levelsOf(byte[] key) {
    int levels = 1;
    for (int i = RetainKeys.topicAt(key); i < key.length; i++) {
      if (key[i] == '/') {
        levels++;
      }
    }
    return levels;
  }

  /** Returns true if the topic of this row was added. */
  boolean contains(byte[] key) {
    int topicAt = RetainKeys.topicAt(key);
    return entries.contains(depthTerm(key, RetainKeys.TENANT_AT, topicAt, levelsOf(key)), key);
  }

  /**
   * Returns the first key with this term that is greater than or equal to {@code from}; null if
   * there is none.
   */
  byte @Nullable [] ceiling(long term, byte[] from) {
    return entries.ceiling(term, from);
  }

  /**
   * Returns the terms that every topic matching a pattern has: one for each literal level except
   * the first, which determines the bucket, and one for the depth unless the pattern ends with
   * {@code #}.
   */
  static long[] termsOf(String tenant, String pattern) {
    byte[] tenantBytes = tenant.getBytes(StandardCharsets.UTF_8);
    String[] levels = pattern.split("/", -1);
    boolean endsWithHash = levels[levels.length - 1].equals("#");
    long[] terms = new long[levels.length + 1];
    int count = 0;
    for (int i = 1; i < levels.length; i++) {
      if (!levels[i].equals("+") && !levels[i].equals("#")) {
        byte[] level = levels[i].getBytes(StandardCharsets.UTF_8);
        terms[count++] = term(tenantBytes, 0, tenantBytes.length, i, level, 0, level.length);
      }
    }
    if (!endsWithHash) {
      terms[count++] = depthTerm(tenantBytes, 0, tenantBytes.length, levels.length);
    }
    return Arrays.copyOf(terms, count);
  }

  private static void forEachTerm(byte[] key, LongConsumer action) {
    int tenantAt = RetainKeys.TENANT_AT;
    int topicAt = RetainKeys.topicAt(key);
    int level = 0;
    int from = topicAt;
    for (int i = topicAt; i <= key.length; i++) {
      if (i == key.length || key[i] == '/') {
        if (level > 0) {
          action.accept(term(key, tenantAt, topicAt, level, key, from, i));
        }
        level++;
        from = i + 1;
      }
    }
    action.accept(depthTerm(key, tenantAt, topicAt, level));
  }

  private static long depthTerm(byte[] tenant, int from, int to, int levels) {
    return term(tenant, from, to, DEPTH - levels, tenant, from, from);
  }

  /** Returns the 64-bit FNV-1a hash of tenant, position and level. */
  private static long term(
      byte[] tenant, int from, int to, int position, byte[] level, int levelFrom, int levelTo) {
    long hash = fnv1a(0xCBF29CE484222325L, tenant, from, to);
    hash = (hash ^ position) * 0x100000001B3L;
    return fnv1a(hash, level, levelFrom, levelTo);
  }

  private static long fnv1a(long hash, byte[] bytes, int from, int to) {
    long mixed = hash;
    for (int i = from; i < to; i++) {
      mixed = (mixed ^ (bytes[i] & 0xFF)) * 0x100000001B3L;
    }
    return mixed;
  }
}
