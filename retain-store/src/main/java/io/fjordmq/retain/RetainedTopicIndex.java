package io.fjordmq.retain;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the topics of one replica by single levels and by their number of levels, so that a look-up
 * with wildcards reads the rows that match instead of all. Derived from the rows and kept in
 * memory; changed by the apply thread, read by any.
 *
 * <p>Each topic has an entry per term. A term is the hash of a tenant, a position and what stands
 * there; entries of a term lie together, in the order of their keys. Two terms with the same hash
 * share their entries, so what is found has still to be matched.
 */
final class RetainedTopicIndex {
  /** An entry in the skip list, with its share of the links above it. */
  private static final int ENTRY_BYTES = 64;

  /** A key's array beside its content. */
  private static final int KEY_BYTES = 24;

  private static final int DEPTH = -1;

  @SuppressWarnings("ArrayRecordComponent") // compared by ORDER only
  private record Entry(long term, byte[] key) {}

  private static final Comparator<Entry> ORDER =
      Comparator.comparingLong(Entry::term).thenComparing(Entry::key, Arrays::compareUnsigned);

  private final ConcurrentSkipListSet<Entry> entries = new ConcurrentSkipListSet<>(ORDER);

  /** Adds a row's topic; returns the bytes that takes. */
  long add(byte[] key) {
    forEachTerm(key, term -> entries.add(new Entry(term, key)));
    return bytes(key);
  }

  /** Removes a row's topic; returns the bytes it took. */
  long remove(byte[] key) {
    forEachTerm(key, term -> entries.remove(new Entry(term, key)));
    return bytes(key);
  }

  /** What a topic takes, about. */
  static long bytes(byte[] key) {
    int[] terms = {0};
    forEachTerm(key, term -> terms[0]++);
    return KEY_BYTES + key.length + (long) terms[0] * ENTRY_BYTES;
  }

  /** The first key with the term that is not below this one; null if there is none. */
  byte @Nullable [] ceiling(long term, byte[] from) {
    Entry found = entries.ceiling(new Entry(term, from));
    return found == null || found.term != term ? null : found.key;
  }

  /**
   * The terms that every topic has that a pattern matches: its literal levels but the first, which
   * says where in the key space they lie; and its depth, unless it ends with {@code #}.
   */
  static long[] termsOf(String tenant, String pattern) {
    byte[] name = tenant.getBytes(StandardCharsets.UTF_8);
    String[] levels = pattern.split("/", -1);
    boolean open = levels[levels.length - 1].equals("#");
    long[] terms = new long[levels.length + 1];
    int count = 0;
    for (int i = 1; i < levels.length; i++) {
      if (!levels[i].equals("+") && !levels[i].equals("#")) {
        byte[] level = levels[i].getBytes(StandardCharsets.UTF_8);
        terms[count++] = term(name, 0, name.length, i, level, 0, level.length);
      }
    }
    if (!open) {
      terms[count++] = depth(name, 0, name.length, levels.length);
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
    action.accept(depth(key, tenantAt, topicAt, level));
  }

  private static long depth(byte[] tenant, int from, int to, int levels) {
    return term(tenant, from, to, DEPTH - levels, tenant, from, from);
  }

  /** FNV-1a of 64 bits over tenant, position and level. */
  private static long term(
      byte[] tenant, int from, int to, int position, byte[] level, int levelFrom, int levelTo) {
    long hash = mixed(0xCBF29CE484222325L, tenant, from, to);
    hash = (hash ^ position) * 0x100000001B3L;
    return mixed(hash, level, levelFrom, levelTo);
  }

  private static long mixed(long hash, byte[] bytes, int from, int to) {
    long mixed = hash;
    for (int i = from; i < to; i++) {
      mixed = (mixed ^ (bytes[i] & 0xFF)) * 0x100000001B3L;
    }
    return mixed;
  }
}
