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

  /**
   * This node's replica leads from now on, after an election or because it was opened again. What
   * it applied before has emitted nothing here. Called before any effect of this leadership, on the
   * replica's apply thread; must not block.
   */
  default void leading(RangeId range) {}
}
