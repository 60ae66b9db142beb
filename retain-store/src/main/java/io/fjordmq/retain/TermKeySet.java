package io.fjordmq.retain;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * A sorted set of (term, key) entries, ordered by term, then by key. One thread at a time changes
 * it; any thread may read it without a lock.
 *
 * <p>The entries are in blocks of up to {@value #MAX_BLOCK}, found by their lower bounds. Unlike in
 * a skip list with a node per entry, a search follows few references, and an entry takes little
 * more than its term and the reference to its key.
 */
final class TermKeySet {
  /*
   * A block never changes: a change replaces the block of its leaf by a copy. Before a leaf loses
   * entries to another leaf, the other leaf already has them. A reader that finds nothing in a leaf
   * goes on to the next one. If the next leaf was merged into this one or an earlier one in the
   * meantime, the block of this leaf has changed, and the reader starts over.
   */
  static final int MAX_BLOCK = 64;

  /** Neighbors that have no more entries together are merged. */
  private static final int MERGED_BLOCK = MAX_BLOCK / 2;

  /** No entry of a leaf is below its bound. */
  @SuppressWarnings("ArrayRecordComponent") // compared only with compare
  private record Bound(long term, byte[] key) {}

  private static final Bound LOWEST = new Bound(Long.MIN_VALUE, new byte[0]);

  private static final class Leaf {
    private volatile Block block;

    Leaf(Block block) {
      this.block = block;
    }
  }

  private final ConcurrentSkipListMap<Bound, Leaf> leaves =
      new ConcurrentSkipListMap<>(TermKeySet::compare);

  TermKeySet() {
    leaves.put(LOWEST, new Leaf(Block.EMPTY)); // never removed, so every entry has a leaf
  }

  private static int compare(Bound one, Bound other) {
    return compare(one.term, one.key, other.term, other.key);
  }

  private static int compare(long term, byte[] key, long otherTerm, byte[] otherKey) {
    return term == otherTerm ? Arrays.compareUnsigned(key, otherKey) : term < otherTerm ? -1 : 1;
  }

  /**
   * Adds an entry unless it is present.
   *
   * @param key must not be modified afterward
   */
  void add(long term, byte[] key) {
    Leaf leaf = leafOf(term, key).getValue();
    Block block = leaf.block;
    int at = block.ceiling(term, key);
    if (block.holds(at, term, key)) {
      return;
    }
    if (block.size() < MAX_BLOCK) {
      leaf.block = block.with(at, term, key);
    } else if (at == MAX_BLOCK) {
      // Keys are often added in ascending order, which would leave blocks half full.
      leaves.put(new Bound(term, key), new Leaf(Block.EMPTY.with(0, term, key)));
    } else {
      split(leaf, block);
      add(term, key);
    }
  }

  private void split(Leaf leaf, Block block) {
    Block right = block.part(MAX_BLOCK / 2, MAX_BLOCK);
    leaves.put(new Bound(right.terms[0], right.keys[0]), new Leaf(right));
    leaf.block = block.part(0, MAX_BLOCK / 2);
  }

  /** Removes an entry if it is present. */
  void remove(long term, byte[] key) {
    Map.Entry<Bound, Leaf> found = leafOf(term, key);
    Leaf leaf = found.getValue();
    Block block = leaf.block;
    int at = block.ceiling(term, key);
    if (!block.holds(at, term, key)) {
      return;
    }
    Block rest = block.without(at);
    Map.Entry<Bound, Leaf> before =
        rest.size() > MERGED_BLOCK / 2 ? null : leaves.lowerEntry(found.getKey());
    if (before != null && canMerge(before.getValue().block, rest)) {
      before.getValue().block = before.getValue().block.followedBy(rest);
      leaves.remove(found.getKey());
      leaf.block = Block.MOVED;
    } else {
      leaf.block = rest;
    }
  }

  private static boolean canMerge(Block one, Block other) {
    return other.size() == 0 || one.size() + other.size() <= MERGED_BLOCK;
  }

  /** Returns true if the entry is present. Must be called by the thread that changes the set. */
  boolean contains(long term, byte[] key) {
    Block block = leafOf(term, key).getValue().block;
    return block.holds(block.ceiling(term, key), term, key);
  }

  /**
   * Returns the first key with this term that is greater than or equal to {@code from}; null if
   * there is none.
   */
  byte @Nullable [] ceiling(long term, byte[] from) {
    Map.Entry<Bound, Leaf> leaf = leafOf(term, from);
    while (leaf != null) {
      Block block = leaf.getValue().block;
      int at = block.ceiling(term, from);
      if (at < block.size()) {
        return block.terms[at] == term ? block.keys[at] : null;
      }
      Map.Entry<Bound, Leaf> next = leaves.higherEntry(leaf.getKey());
      boolean moved = block == Block.MOVED || leaf.getValue().block != block;
      leaf = moved ? leafOf(term, from) : next;
    }
    return null;
  }

  private Map.Entry<Bound, Leaf> leafOf(long term, byte[] key) {
    return Objects.requireNonNull(leaves.floorEntry(new Bound(term, key)), "the lowest leaf");
  }

  /** Returns the number of blocks. */
  int blocks() {
    return leaves.size();
  }

  /** Sorted entries in parallel arrays. Immutable. */
  private static final class Block {
    static final Block EMPTY = new Block(new long[0], new byte[0][]);

    /** The block of a leaf that was removed, whose entries are in another leaf. */
    static final Block MOVED = new Block(new long[0], new byte[0][]);

    final long[] terms;
    final byte[][] keys;

    Block(long[] terms, byte[][] keys) {
      this.terms = terms;
      this.keys = keys;
    }

    int size() {
      return terms.length;
    }

    /** Returns the position of the first entry that is not below this one. */
    int ceiling(long term, byte[] key) {
      int low = 0;
      int high = terms.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (compare(terms[middle], keys[middle], term, key) < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    boolean holds(int at, long term, byte[] key) {
      return at < terms.length && terms[at] == term && Arrays.equals(keys[at], key);
    }

    Block with(int at, long term, byte[] key) {
      int size = terms.length;
      long[] moreTerms = Arrays.copyOf(terms, size + 1);
      byte[][] moreKeys = Arrays.copyOf(keys, size + 1);
      System.arraycopy(terms, at, moreTerms, at + 1, size - at);
      System.arraycopy(keys, at, moreKeys, at + 1, size - at);
      moreTerms[at] = term;
      moreKeys[at] = key;
      return new Block(moreTerms, moreKeys);
    }

    Block without(int at) {
      return part(0, at).followedBy(part(at + 1, terms.length));
    }

    Block part(int from, int to) {
      return new Block(Arrays.copyOfRange(terms, from, to), Arrays.copyOfRange(keys, from, to));
    }

    Block followedBy(Block other) {
      int size = terms.length;
      long[] allTerms = Arrays.copyOf(terms, size + other.size());
      byte[][] allKeys = Arrays.copyOf(keys, size + other.size());
      System.arraycopy(other.terms, 0, allTerms, size, other.size());
      System.arraycopy(other.keys, 0, allKeys, size, other.size());
      return new Block(allTerms, allKeys);
    }
  }
}
