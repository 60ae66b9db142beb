package io.fjordmq.range.store;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.kv.KvReader;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * A range that was split off, and to which nothing has been applied since. A snapshot of its parent
 * contains its rows.
 *
 * <p>A replica that receives a snapshot of the parent from after the split does not apply the entry
 * that creates the new range, and installing the snapshot removes its own rows of the new range.
 * Once any replica of the new range has applied an entry, a majority of its voters has the rows
 * durably and can send a snapshot. Until then, they may exist only on the disk of the sender
 * (decision 0025).
 *
 * @param range the range as the split created it
 * @param progress its progress row
 */
record NewSplitChild(RangeDescriptor range, byte[] progress) {

  /** Adds the children of a range that are new on this node, with all their rows. */
  static void copyTo(RowFile.Writer file, List<RangeDescriptor> children, KvReader rows)
      throws IOException {
    for (RangeDescriptor child : children) {
      RangeKeys keys = new RangeKeys(child.id().number());
      byte[] progress = rows.get(keys.progress());
      // A child whose snapshot is being installed has only some of its rows. If a range is frozen
      // for the child, all replicas of the child were in service, so no replica needs the rows from
      // this snapshot.
      if (progress != null
          && rows.get(keys.installing()) == null
          && FrozenNeighbor.of(child, rows).isEmpty()
          && RangeState.appliedIndexOf(progress) == RangeState.INITIAL_LOG_INDEX) {
        file.add(keys.progress(), progress);
        KeyInterval held = child.interval();
        ReplicaSnapshot.copy(
            rows, RangeKeys.data(held.start()), RangeKeys.dataEnd(held.end()), file);
      }
    }
  }

  /** Returns whether a row in a snapshot was added by {@link #copyTo} for this range. */
  boolean owns(byte[] key) {
    return RangeKeys.isDataOf(range.interval(), key)
        || Arrays.equals(key, new RangeKeys(range.id().number()).progress());
  }
}
