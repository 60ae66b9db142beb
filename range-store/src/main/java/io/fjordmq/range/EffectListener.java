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
   * Called when the replica on this node has become the leader, by election or because it was
   * reopened. Entries that it applied earlier, as a follower, emitted no effects on this node. Runs
   * on the replica's apply thread before any effect of this term; must not block.
   */
  default void onLeaderStart(RangeId range) {}
}
