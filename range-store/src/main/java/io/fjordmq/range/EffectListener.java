package io.fjordmq.range;

import java.util.List;

/** Receives on the leader what applied commands emitted. */
@FunctionalInterface
public interface EffectListener {
  /**
   * Called on the replica's apply thread after the write, with the effects of one or more entries
   * in order. Must not block.
   */
  void perform(RangeId range, List<Object> effects);
}
