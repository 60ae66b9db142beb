package io.fjordmq.range;

import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * What a store brings to the range engine.
 *
 * @param name {@code dist}, {@code inbox}, {@code retain}; also the name of its column family and
 *     in its group ids
 * @param initialSplitKeys where a new cluster cuts the key space, ascending; n keys make n + 1
 *     ranges
 * @param coprocessor makes the code of one replica
 * @param effects performs on the leader what commands emitted
 * @param cuts the last place at or before a key where a range may be split: what commands touch
 *     together must stay together
 */
public record StoreSpec(
    String name,
    List<byte[]> initialSplitKeys,
    Function<RangeId, Coprocessor> coprocessor,
    EffectListener effects,
    UnaryOperator<byte[]> cuts) {

  /** A store whose rows are each on its own: it may be cut anywhere. */
  public StoreSpec(
      String name,
      List<byte[]> initialSplitKeys,
      Function<RangeId, Coprocessor> coprocessor,
      EffectListener effects) {
    this(name, initialSplitKeys, coprocessor, effects, UnaryOperator.identity());
  }
}
