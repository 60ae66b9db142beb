package io.fjordmq.range.store;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvSnapshot;
import io.fjordmq.range.kv.KvSpace;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Finds the key that halves the bytes of a range, among the permitted split keys of its store.
 * Reads the storage, so it may block. Used once, by a single thread.
 *
 * <p>A small range is read completely. In a larger one the middle is found by bisection: at most
 * {@value #MAX_PROBES} probes, each of which reads up to two rows and queries the storage for one
 * estimate. The search is abandoned once it has skipped too many deleted rows.
 */
final class SizeMedianFinder {
  /*
   * RocksDB estimates sizes by blocks of table files and by a few nodes of the memtables: the
   * estimates are accurate to a few percent for many megabytes, but useless for ten rows. This is
   * why there are two methods.
   */
  static final int MAX_ROWS_READ = 10_000;

  static final int MAX_BYTES_READ = 8 << 20;
  static final int MAX_PROBES = 256;

  /** Maximum number of deleted rows that an automatic search skips: a few tenths of a second. */
  static final long MAX_SKIPPED = 1_000_000;

  /** Maximum number of deleted rows skipped while an operator waits: about a second. */
  static final long MAX_SKIPPED_MANUAL = 5 * MAX_SKIPPED;

  /** Share of all bytes in the heavier part at which bisection stops. */
  private static final double ACCEPTABLE_SHARE = 0.55;

  private final KvSpace space;
  private final KeyInterval keys;
  private final UnaryOperator<byte[]> splitKeyFloor;
  private final long maxSkipped;
  private @Nullable Cut best;

  /**
   * A place where a range can be cut.
   *
   * @param key first key of the right part
   * @param left bytes in the left part
   * @param total bytes in both parts
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Cut(byte[] key, long left, long total) {
    long heavier() {
      return Math.max(left, total - left);
    }

    /** Returns the share of all bytes in the lighter part, at most 0.5. */
    double lighterShare() {
      return total <= 0 ? 0 : 1 - (double) heavier() / total;
    }
  }

  /**
   * @param keys keys of the range
   * @param splitKeyFloor maps a key to the last permitted split key at or before it
   * @param maxSkipped number of deleted rows after which the search is abandoned
   */
  SizeMedianFinder(
      KvSpace space, KeyInterval keys, UnaryOperator<byte[]> splitKeyFloor, long maxSkipped) {
    this.space = space;
    this.keys = keys;
    this.splitKeyFloor = splitKeyFloor;
    this.maxSkipped = maxSkipped;
  }

  /** Returns the estimated number of bytes of a range's rows. */
  static long bytes(KvSpace space, KeyInterval keys) {
    return space.approximateBytes(RangeKeys.data(keys.start()), RangeKeys.dataEnd(keys.end()));
  }

  /**
   * The result of a search.
   *
   * @param cut the cut nearest to the middle of those found; null if none leaves rows on both sides
   * @param abandoned whether too many deleted rows were skipped; there may be a better cut
   */
  record Result(@Nullable Cut cut, boolean abandoned) {}

  /**
   * Searches for the cut nearest to the middle.
   *
   * @throws KvException if the storage fails
   */
  Result find() {
    long estimate = bytes(space, keys);
    // A snapshot, because reading the latest rows would block the apply thread.
    try (KvSnapshot snapshot = space.boundedSnapshot(maxSkipped)) {
      search(new DataReader(snapshot, keys), estimate);
      return new Result(best, false);
    } catch (KvException e) {
      if (e.kind() != KvException.Kind.TOO_MANY_TOMBSTONES) {
        throw e;
      }
      return new Result(best, true);
    }
  }

  private void search(KvReader rows, long estimate) {
    if (estimate <= MAX_BYTES_READ) {
      RowCollector reading = new RowCollector();
      rows.scan(keys.start(), keys.end(), reading);
      if (reading.isComplete()) {
        reading.compare();
        return;
      }
    }
    bisect(rows, estimate);
  }

  /** Every place where the rows read so far can be cut, with the number of bytes before it. */
  private final class RowCollector implements KvReader.Visitor {
    private final List<byte[]> cutKeys = new ArrayList<>();
    private final List<Long> bytesBefore = new ArrayList<>();
    private int count;
    private long bytes;

    @Override
    public boolean visit(byte[] key, byte[] value) {
      byte[] place = splitKeyFloor.apply(key);
      if (cutKeys.isEmpty() || !Arrays.equals(place, cutKeys.get(cutKeys.size() - 1))) {
        cutKeys.add(place);
        bytesBefore.add(bytes);
      }
      count++;
      bytes += key.length + value.length;
      return isComplete();
    }

    boolean isComplete() {
      return count <= MAX_ROWS_READ && bytes <= MAX_BYTES_READ;
    }

    void compare() {
      for (int i = 1; i < cutKeys.size(); i++) {
        compareWithBest(new Cut(cutKeys.get(i), bytesBefore.get(i), bytes));
      }
    }
  }

  private void compareWithBest(Cut other) {
    Cut known = best;
    if (known == null || other.heavier() < known.heavier()) {
      best = other;
    }
  }

  private void bisect(KvReader rows, long total) {
    byte[] first = first(rows, keys.start(), keys.end());
    byte[] last = first == null ? null : last(rows, keys.start(), keys.end());
    if (first == null || last == null) {
      return; // all rows are deleted
    }
    byte[] low = first;
    byte[] high = after(last);
    for (int probe = 0; probe < MAX_PROBES && !isCloseEnough(); probe++) {
      byte[] middle = between(low, high);
      byte[] row = first(rows, middle, high);
      Cut cut = row == null ? null : cut(first, row, total);
      if (cut != null) {
        compareWithBest(cut);
      }
      if (row != null && (cut == null || cut.left() < total / 2)) {
        low = row;
      } else {
        byte[] previous = last(rows, after(low), middle);
        if (previous == null) {
          break; // there is no row between the two
        }
        high = after(previous);
      }
    }
  }

  /** Returns the cut at or before a row; null if the left part would be empty. */
  private @Nullable Cut cut(byte[] firstRow, byte[] row, long total) {
    byte[] place = splitKeyFloor.apply(row);
    return Arrays.compareUnsigned(place, firstRow) <= 0
        ? null
        : new Cut(place, bytes(space, new KeyInterval(keys.start(), place)), total);
  }

  private boolean isCloseEnough() {
    Cut known = best;
    return known != null && known.heavier() <= ACCEPTABLE_SHARE * known.total();
  }

  private static byte @Nullable [] first(KvReader rows, byte[] from, byte @Nullable [] to) {
    byte[][] found = new byte[1][];
    rows.scan(from, to, (key, value) -> stopAt(key, found));
    return found[0];
  }

  private static byte @Nullable [] last(KvReader rows, byte[] from, byte @Nullable [] to) {
    byte[][] found = new byte[1][];
    rows.scanBackwards(from, to, (key, value) -> stopAt(key, found));
    return found[0];
  }

  private static boolean stopAt(byte[] key, byte[][] found) {
    found[0] = key;
    return false;
  }

  /** Returns the smallest key above this one. */
  private static byte[] after(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  /**
   * Returns a key above {@code low} and at most {@code high}, halfway if keys are read as binary
   * fractions.
   */
  static byte[] between(byte[] low, byte[] high) {
    int length = Math.max(low.length, high.length) + 1;
    BigInteger sum = fraction(low, length).add(fraction(high, length));
    byte[] digits = sum.shiftRight(1).toByteArray(); // with a sign bit, and without leading zeros
    byte[] middle = new byte[length];
    int used = Math.min(digits.length, length);
    System.arraycopy(digits, digits.length - used, middle, length - used, used);
    return Arrays.compareUnsigned(middle, after(low)) < 0 ? after(low) : middle;
  }

  private static BigInteger fraction(byte[] key, int length) {
    return new BigInteger(1, Arrays.copyOf(key, length));
  }
}
