package io.fjordmq.range;

import java.util.List;
import java.util.function.Function;

/**
 * What a store brings to the range engine.
 *
 * @param name {@code dist}, {@code inbox}, {@code retain}; also the name of its column family and
 *     in its group ids
 * @param initialSplitKeys where a new cluster cuts the key space, ascending; n keys make n + 1
 *     ranges
 * @param coprocessor makes the code of one replica
 * @param effects performs on the leader what commands emitted
 */
public record StoreSpec(
    String name,
    List<byte[]> initialSplitKeys,
    Function<RangeId, Coprocessor> coprocessor,
    EffectListener effects) {}
