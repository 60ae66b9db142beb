package io.fjordmq.range.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.SimKv;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the range descriptors from the rows of a simulated node. */
final class StoredRanges {
  private static final byte DESCRIPTOR = 1;
  private static final byte ABSORBED = 8;

  private StoredRanges() {}

  /** The descriptors by group; no two of them may overlap. */
  static Map<GroupId, RangeDescriptor> of(SimKv kv, String store) {
    List<RangeDescriptor> found = new ArrayList<>();
    kv.space(store)
        .latest()
        .scan(
            new byte[0],
            new byte[] {SimNode.DATA},
            (row, value) -> {
              if (row[9] == DESCRIPTOR) {
                found.add(RangeDescriptorCodec.decode(value));
              }
              return true;
            });
    Map<GroupId, RangeDescriptor> byGroup = new HashMap<>();
    for (RangeDescriptor range : found) {
      byGroup.put(range.group(), range);
      assertThat(found)
          .as("ranges of a node that hold keys of %s", range)
          .noneMatch(other -> other != range && other.interval().overlaps(range.interval()));
    }
    return byGroup;
  }

  /** Whether the range has been merged into another one on this node. */
  static boolean isAbsorbed(SimKv kv, RangeId range) {
    byte[] row = ByteBuffer.allocate(10).putLong(1, range.number()).put(9, ABSORBED).array();
    return kv.space(range.store()).latest().get(row) != null;
  }

  /** The range that a group replicates. */
  static RangeId idOf(GroupId group) {
    int dash = group.value().lastIndexOf('-');
    return new RangeId(
        group.value().substring(0, dash), Long.parseLong(group.value().substring(dash + 1)));
  }

  /** Whether ranges in key order cover the whole key space without overlaps. */
  static boolean coverAllKeys(List<RangeDescriptor> ranges) {
    byte[] reached = new byte[0];
    for (int i = 0; i < ranges.size(); i++) {
      KeyInterval held = ranges.get(i).interval();
      byte[] end = held.end();
      if (!Arrays.equals(held.start(), reached)) {
        return false;
      } else if (end == null) {
        return i == ranges.size() - 1;
      }
      reached = end;
    }
    return false;
  }
}
