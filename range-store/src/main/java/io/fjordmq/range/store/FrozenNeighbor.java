package io.fjordmq.range.store;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.kv.KvReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A range that is frozen for its left neighbor, as recorded in a snapshot of that neighbor.
 *
 * <p>The log that follows the snapshot may hold the entry by which the neighbor absorbs the frozen
 * range. The leader that proposed this entry has seen the range frozen on every replica at that
 * time, so an earlier snapshot is valid for each of those replicas. A new replica halts at the
 * entry, because it has no rows of the range (decision 0028). The sender of the snapshot cannot
 * know whether there is such an entry, nor which replica will receive it; the receiver knows
 * whether it is new, and whether it has the range.
 *
 * @param number number of the frozen range
 * @param row {@link FreezeRecord}, the same on all its replicas
 */
record FrozenNeighbor(long number, byte[] row) {

  /**
   * Returns the ranges that are frozen for a range in its current or a later version: the applied
   * state of this node may lack the entry that raised the version. There is at most one, unless
   * there is a bug.
   */
  static List<FrozenNeighbor> of(RangeDescriptor range, KvReader rows) {
    List<FrozenNeighbor> found = new ArrayList<>();
    RangeKeys.visitFrozen(
        rows,
        (number, row) -> {
          FreezeRecord freezeRecord = FreezeRecord.decode(row);
          if (freezeRecord.left() == range.id().number()
              && freezeRecord.leftVersion() >= range.epoch().version()) {
            found.add(new FrozenNeighbor(number, row));
          }
        });
    return found;
  }

  void copyTo(RowFile.Writer file) throws IOException {
    file.add(new RangeKeys(number).frozen(), row);
  }

  /** Returns whether a row in a snapshot of {@code range} was added by {@link #copyTo}. */
  static boolean isRowOf(RangeKeys range, byte[] key) {
    return RangeKeys.isFrozen(key) && !Arrays.equals(key, range.frozen());
  }

  /** Returns whether the range is frozen on this node for the same merge, with all its rows. */
  boolean isFrozen(KvReader rows) {
    RangeKeys keys = new RangeKeys(number);
    return Arrays.equals(row, rows.get(keys.frozen())) && hasAllRows(keys, rows);
  }

  /** Returns whether this node has all rows of a frozen range and keeps them while it is frozen. */
  static boolean hasAllRows(RangeKeys range, KvReader rows) {
    return rows.get(range.frozen()) != null
        && rows.get(range.installing()) == null
        && rows.get(range.removing()) == null; // removing the replica would also remove these rows
  }
}
