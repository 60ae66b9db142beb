package io.fjordmq.range.store;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.kv.KvReader;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * A range that was split off and to which nothing has been applied since, as a copy of its parent
 * brings it: with its rows.
 *
 * <p>Whoever gets a copy of the parent from after the split does not apply the entry that would
 * have made the range there, and the rows that it had itself go with the installation. Once an
 * entry of the new range is applied anywhere, a majority of its voters has its rows durably, and it
 * can be left to them to send a copy. Before that it may be on the sender's disk alone (decision
 * 0025).
 *
 * @param range as the split made it
 * @param progress row of it
 */
record NewSplitChild(RangeDescriptor range, byte[] progress) {

  /** Adds those of a range's children that are newborn here, with all their rows. */
  static void copyTo(RowFile.Writer file, List<RangeDescriptor> children, KvReader rows)
      throws IOException {
    for (RangeDescriptor child : children) {
      RangeKeys keys = new RangeKeys(child.id().number());
      byte[] progress = rows.get(keys.progress());
      // One whose copy is being installed has some rows and not yet others. And where a range
      // stands still for it, all its replicas were in service: nobody needs its rows from here.
      if (progress != null
          && rows.get(keys.installing()) == null
          && FrozenNeighbour.of(child, rows).isEmpty()
          && RangeState.appliedIndexOf(progress) == RangeState.BEGINNING) {
        file.add(keys.progress(), progress);
        KeyInterval held = child.interval();
        ReplicaSnapshot.copy(
            rows, RangeKeys.data(held.start()), RangeKeys.dataEnd(held.end()), file);
      }
    }
  }

  /** Whether a row of a copy is one of those that {@link #copyTo} has added for the range. */
  boolean owns(byte[] key) {
    return RangeKeys.isDataOf(range.interval(), key)
        || Arrays.equals(key, new RangeKeys(range.id().number()).progress());
  }
}
