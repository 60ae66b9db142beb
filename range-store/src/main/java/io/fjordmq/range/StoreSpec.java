package io.fjordmq.range;

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
 * @param coprocessor creates the coprocessor of a replica
 * @param effects performs effects on the leader
 * @param cuts maps a key to the last permitted split key at or before it: rows that one command
 *     touches must stay in one range
 */
public record StoreSpec(
    String name,
    List<byte[]> initialSplitKeys,
    Function<RangeId, Coprocessor> coprocessor,
    EffectListener effects,
    UnaryOperator<byte[]> cuts) {

  /** A store with independent rows, whose ranges can be split at any key. */
  public StoreSpec(
      String name,
      List<byte[]> initialSplitKeys,
      Function<RangeId, Coprocessor> coprocessor,
      EffectListener effects) {
    this(name, initialSplitKeys, coprocessor, effects, UnaryOperator.identity());
  }
}
