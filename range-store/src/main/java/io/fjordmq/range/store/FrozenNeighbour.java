package io.fjordmq.range.store;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.kv.KvReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A range that stands still for its left neighbour, as a copy of that one names it.
 *
 * <p>The log that follows the copy may hold the entry by which the neighbour takes the range in.
 * Whoever proposed that has seen the range frozen on every replica that there was, so a copy from
 * before is right for each of those. A replica that is new halts at the entry, since it has no rows
 * of the range (decision 0028). Who makes the copy cannot know whether there is such an entry, nor
 * whom the copy is for; who gets it knows whether it is new, and whether the range is here.
 *
 * @param number of the range
 * @param row {@link FreezeRecord}, the same on all its replicas
 */
record FrozenNeighbour(long number, byte[] row) {

  /**
   * Those that stand still for a range as it is or will be: what is applied here may be behind what
   * made it another version. One at most, unless there is a bug.
   */
  static List<FrozenNeighbour> of(RangeDescriptor range, KvReader rows) {
    List<FrozenNeighbour> found = new ArrayList<>();
    RangeKeys.visitFrozen(
        rows,
        (number, row) -> {
          FreezeRecord still = FreezeRecord.decode(row);
          if (still.left() == range.id().number()
              && still.leftVersion() >= range.epoch().version()) {
            found.add(new FrozenNeighbour(number, row));
          }
        });
    return found;
  }

  void copyTo(RowFile.Writer file) throws IOException {
    file.add(new RangeKeys(number).frozen(), row);
  }

  /** Whether a row of a copy of {@code range} is one of those that {@link #copyTo} has added. */
  static boolean isRowOf(RangeKeys range, byte[] key) {
    return RangeKeys.isFrozen(key) && !Arrays.equals(key, range.frozen());
  }

  /** Whether it stands still here, too, for the same, and with all its rows. */
  boolean isHere(KvReader rows) {
    RangeKeys keys = new RangeKeys(number);
    return Arrays.equals(row, rows.get(keys.frozen())) && isWhole(keys, rows);
  }

  /** Whether a range that stands still here has its rows, and keeps them as long as it does. */
  static boolean isWhole(RangeKeys range, KvReader rows) {
    return rows.get(range.frozen()) != null
        && rows.get(range.installing()) == null
        && rows.get(range.removing()) == null; // who removes it would remove our rows, too
  }
}
