package io.fjordmq.range.store;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a received snapshot of a range, except for its data.
 *
 * @param progress its progress row
 * @param frozen its freeze record; null if the range is not frozen
 * @param children ranges that were split off, as of the split
 * @param newChildren those children whose rows are in the snapshot
 * @param absorbedRanges ranges that it has absorbed
 * @param neighbors ranges that are frozen for it
 */
record ReceivedSnapshot(
    RangeDescriptor range,
    byte[] progress,
    byte @Nullable [] frozen,
    List<RangeDescriptor> children,
    List<NewSplitChild> newChildren,
    List<RangeId> absorbedRanges,
    List<FrozenNeighbor> neighbors) {

  /**
   * Reads the whole file, so that damage is found before anything is changed.
   *
   * @throws IOException if it cannot be read, is damaged, or is a snapshot of another range
   */
  static ReceivedSnapshot read(RangeId id, Path file) throws IOException {
    Rows rows = new Rows(id);
    RowFile.read(file, rows);
    RangeDescriptor range = rows.range;
    byte[] progress = rows.progress.get(id.number());
    if (range == null || progress == null) {
      throw new IOException(file + " is not a snapshot of range " + id);
    }
    List<NewSplitChild> newChildren = new ArrayList<>();
    for (RangeDescriptor child : rows.children) {
      byte[] childProgress = rows.progress.get(child.id().number());
      if (childProgress != null) {
        newChildren.add(new NewSplitChild(child, childProgress));
      }
    }
    return new ReceivedSnapshot(
        range,
        progress,
        rows.frozen,
        rows.children,
        newChildren,
        rows.absorbedRanges,
        rows.neighbors);
  }

  private static final class Rows implements RowFile.RowVisitor {
    private final RangeId id;
    private final RangeKeys keys;
    private @Nullable RangeDescriptor range;
    private byte @Nullable [] frozen;
    private final Map<Long, byte[]> progress = new HashMap<>();
    private final List<RangeDescriptor> children = new ArrayList<>();
    private final List<RangeId> absorbedRanges = new ArrayList<>();
    private final List<FrozenNeighbor> neighbors = new ArrayList<>();

    private Rows(RangeId id) {
      this.id = id;
      this.keys = new RangeKeys(id.number());
    }

    @Override
    public void visit(byte[] key, byte[] value) {
      if (Arrays.equals(key, keys.descriptor())) {
        range = RangeDescriptorCodec.decode(value);
      } else if (Arrays.equals(key, keys.frozen())) {
        frozen = value;
      } else if (FrozenNeighbor.isRowOf(keys, key)) {
        neighbors.add(new FrozenNeighbor(RangeKeys.rangeOf(key), value));
      } else if (RangeKeys.isProgress(key)) {
        progress.put(RangeKeys.rangeOf(key), value);
      } else if (keys.isChild(key)) {
        children.add(RangeDescriptorCodec.decode(value));
      } else if (keys.isAbsorbedRange(key)) {
        absorbedRanges.add(new RangeId(id.store(), RangeKeys.numberOf(key)));
      }
    }
  }
}
