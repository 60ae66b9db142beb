package io.fjordmq.range;

import java.util.List;

/** Performs the effects of applied commands, on the leader only. */
@FunctionalInterface
public interface EffectListener {
  /**
   * Called on the replica's apply thread after the write, with the effects of one or more entries
   * in log order. Must not block.
   */
  void onEffects(RangeId range, List<Object> effects);

  /**
   * The replica on this node became the leader, by election or by being reopened. Entries that it
   * applied before emitted no effects on this node. Called on the replica's apply thread before any
   * effect of this term; must not block.
   */
  default void onLeaderStart(RangeId range) {}
}
