package io.fjordmq.range;

import io.fjordmq.cluster.consensus.ReplicaSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Definition of a store for the range engine.
 *
 * @param name {@code dist}, {@code inbox} or {@code retain}; also names its column family and is
 *     part of its group ids
 * @param initialSplitKeys keys at which a new cluster splits the key space, ascending; n keys make
 *     n + 1 ranges
 * @param coprocessorFactory creates the coprocessor of a replica
 * @param effects performs effects on the leader
 * @param splitKeyFloor maps a key to the last permitted split key at or before it, so that the rows
 *     that one command touches stay in one range
 */
public record StoreSpec(
    String name,
    List<byte[]> initialSplitKeys,
    Function<RangeId, Coprocessor> coprocessorFactory,
    EffectListener effects,
    UnaryOperator<byte[]> splitKeyFloor) {

  /**
   * Creates the definition of a store with independent rows, whose ranges can be split at any key.
   */
  public StoreSpec(
      String name,
      List<byte[]> initialSplitKeys,
      Function<RangeId, Coprocessor> coprocessor,
      EffectListener effects) {
    this(name, initialSplitKeys, coprocessor, effects, UnaryOperator.identity());
  }

  /**
   * Returns the initial ranges in a new cluster: the whole key space, split at the {@link
   * #initialSplitKeys}.
   */
  public List<RangeDescriptor> initialRanges(ReplicaSet members) {
    List<RangeDescriptor> ranges = new ArrayList<>();
    byte[] start = new byte[0];
    for (int i = 0; i <= initialSplitKeys.size(); i++) {
      byte[] end = i < initialSplitKeys.size() ? initialSplitKeys.get(i) : null;
      RangeId id = new RangeId(name, i + 1L);
      ranges.add(new RangeDescriptor(id, new KeyInterval(start, end), RangeEpoch.FIRST, members));
      start = end == null ? start : end;
    }
    return ranges;
  }
}
