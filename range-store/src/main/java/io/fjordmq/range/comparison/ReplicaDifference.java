package io.fjordmq.range.comparison;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.SliceHash;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Replicas of a range hold different rows although they have applied the same entries.
 *
 * @param index the log entry as of which the slice was compared
 * @param found cluster time of the comparison
 * @param compared the nodes whose replicas were compared, sorted
 * @param deviating those that differ from a majority of these; empty if there is no majority
 * @param from first row of the slice; empty for the first row of the range
 * @param to the row at which the leader's slice ends; null for the end of the range
 * @param confirmed whether a second comparison of the same slice found a difference as well. If
 *     not, the rows have become equal since then, or were read wrongly
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ReplicaDifference(
    RangeId range,
    long index,
    Instant found,
    List<NodeId> compared,
    List<NodeId> deviating,
    byte[] from,
    byte @Nullable [] to,
    boolean confirmed) {
  private static final Comparator<NodeId> BY_ID = Comparator.comparing(NodeId::value);

  /** Returns the nodes whose hash differs from that of more than half of all; empty if none has. */
  static List<NodeId> deviating(Map<NodeId, SliceHash> hashes) {
    for (SliceHash candidate : hashes.values()) {
      List<NodeId> others = new ArrayList<>();
      hashes.forEach(
          (node, hash) -> {
            if (!hash.matches(candidate)) {
              others.add(node);
            }
          });
      if (2 * others.size() < hashes.size()) {
        others.sort(BY_ID);
        return List.copyOf(others);
      }
    }
    return List.of();
  }

  static List<NodeId> sorted(Set<NodeId> nodes) {
    Set<NodeId> sorted = new TreeSet<>(BY_ID);
    sorted.addAll(nodes);
    return List.copyOf(sorted);
  }

  /**
   * Describes the slice as rows of the store's space in hexadecimal: 00 begins rows of the engine,
   * 01 data, and 02 is the end.
   */
  public String slice() {
    HexFormat hex = HexFormat.of();
    return "[" + hex.formatHex(from) + ", " + (to == null ? "end" : hex.formatHex(to)) + ")";
  }
}
