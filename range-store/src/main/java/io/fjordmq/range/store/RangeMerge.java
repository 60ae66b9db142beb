package io.fjordmq.range.store;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Merges two neighboring ranges as their replicas apply the entries of the merge (decision 0028).
 * Used by the apply thread.
 */
final class RangeMerge {
  /*
   * The left range's log decides. The right range is frozen for one epoch version of the left one:
   * only as long as the left range has that version may it absorb the right one. Before the leader
   * of the left range proposes that, it has seen the right one durably frozen by every replica of
   * the left; and no frozen replica is removed where the entry may still be applied. Therefore the
   * right range's rows are final and on this node, no matter how far its own log has advanced.
   */

  /**
   * The result of absorbing another range.
   *
   * @param range the range as it is now
   * @param right the absorbed range as it was
   * @param children ranges that were split off the absorbed one, or off ranges that it had absorbed
   */
  record AppliedMerge(RangeDescriptor range, RangeDescriptor right, List<RangeDescriptor> children)
      implements RangeChange {}

  /** The range holds the same keys as before. */
  record FreezeOrEpochChange(RangeDescriptor range, @Nullable FreezeRecord frozen)
      implements RangeChange {}

  /**
   * Adds the rows of the change and returns it; null if the entry is for another version of the
   * range, or the change is not possible now.
   */
  @Nullable RangeChange apply(RangeState state, RangeEntry entry, KvWriter rows) {
    if (entry instanceof RangeEntry.Freeze freeze) {
      return freeze(state, freeze, rows);
    } else if (entry instanceof RangeEntry.Absorb absorb) {
      return absorb(state, absorb, rows);
    } else if (entry instanceof RangeEntry.BumpEpoch bumpEpoch) {
      return bumpEpoch(state, bumpEpoch, rows);
    }
    return unfreeze(state, (RangeEntry.Unfreeze) entry, rows);
  }

  private static boolean hasVersion(RangeState state, long epochVersion) {
    return state.descriptor().epoch().version() == epochVersion;
  }

  private static @Nullable FreezeOrEpochChange freeze(
      RangeState state, RangeEntry.Freeze entry, KvWriter rows) {
    if (!hasVersion(state, entry.epochVersion()) || state.frozen() != null) {
      return null;
    }
    FreezeRecord freezeRecord =
        new FreezeRecord(
            entry.left(), entry.leftVersion(), state.appliedIndex(), state.clockMillis());
    rows.put(state.keys().frozen(), freezeRecord.encode());
    return new FreezeOrEpochChange(state.descriptor(), freezeRecord);
  }

  /**
   * Raises the epoch version, unless the range is frozen: a frozen range must keep the version that
   * it was frozen with.
   */
  private static @Nullable FreezeOrEpochChange bumpEpoch(
      RangeState state, RangeEntry.BumpEpoch entry, KvWriter rows) {
    return hasVersion(state, entry.epochVersion()) && state.frozen() == null
        ? withNextVersion(state, rows)
        : null;
  }

  private static @Nullable FreezeOrEpochChange unfreeze(
      RangeState state, RangeEntry.Unfreeze entry, KvWriter rows) {
    if (!hasVersion(state, entry.epochVersion()) || state.frozen() == null) {
      return null;
    }
    rows.delete(state.keys().frozen());
    return withNextVersion(state, rows);
  }

  private static FreezeOrEpochChange withNextVersion(RangeState state, KvWriter rows) {
    RangeDescriptor now = state.descriptor();
    long version = now.epoch().version() + 1;
    RangeDescriptor next = withKeysAndVersion(now, now.interval(), version);
    rows.put(state.keys().descriptor(), RangeDescriptorCodec.encode(next));
    return new FreezeOrEpochChange(next, null);
  }

  private static RangeDescriptor withKeysAndVersion(
      RangeDescriptor range, KeyInterval keys, long version) {
    return new RangeDescriptor(
        range.id(), keys, new RangeEpoch(version, range.epoch().replicas()), range.replicas());
  }

  /**
   * @throws IllegalStateException if the right range is not on this node in the required state
   */
  private @Nullable AppliedMerge absorb(RangeState state, RangeEntry.Absorb entry, KvWriter rows) {
    if (!hasVersion(state, entry.epochVersion()) || state.frozen() != null) {
      return null;
    }
    RangeDescriptor left = state.descriptor();
    RangeId rightId = new RangeId(left.id().store(), entry.right());
    RangeKeys rightKeys = new RangeKeys(entry.right());
    byte[] descriptor = rows.get(rightKeys.descriptor());
    byte[] frozen = rows.get(rightKeys.frozen());
    if (descriptor == null || frozen == null) {
      throw new IllegalStateException(
          "range %s cannot absorb %s, which is not frozen on this node"
              .formatted(left.id(), rightId));
    }
    RangeDescriptor right = RangeDescriptorCodec.decode(descriptor);
    FreezeRecord freezeRecord = FreezeRecord.decode(frozen);
    if (freezeRecord.left() != left.id().number()
        || freezeRecord.leftVersion() != entry.epochVersion()
        || right.epoch().version() != entry.rightVersion()
        || !Arrays.equals(left.interval().end(), right.interval().start())) {
      throw new IllegalStateException(
          "range %s cannot absorb %s, which is frozen for a different merge on this node: %s"
              .formatted(left.id(), right, freezeRecord));
    }
    RangeDescriptor now =
        withKeysAndVersion(
            left,
            new KeyInterval(left.interval().start(), right.interval().end()),
            Math.max(left.epoch().version(), right.epoch().version()) + 1);
    state.advance(state.appliedIndex(), freezeRecord.clockMillis());
    rows.put(state.keys().descriptor(), RangeDescriptorCodec.encode(now));
    rows.delete(state.keys().child(entry.right()));
    List<RangeDescriptor> children = new ArrayList<>(RangeState.children(rightKeys, rows));
    for (long absorbed : AbsorbedRange.absorbedNumbers(rightKeys, rows)) {
      children.addAll(new AbsorbedRange(absorbed).children(rows));
    }
    new AbsorbedRange(entry.right()).replaceRows(now, children, state, rows);
    return new AppliedMerge(now, right, children);
  }
}
