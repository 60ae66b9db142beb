package io.fjordmq.api.plugin;

/**
 * Says when ranges are cut in two and when two become one. The node that leads a range asks once a
 * second about each range that it leads; one call at a time, on a thread of its own. Must not
 * block: if all its answers of a second take longer than {@code splitConfig.patience} they are
 * {@link SplitAdvice.Reason#TOO_SLOW}, nobody waits for them, and it is not asked again before it
 * has answered.
 *
 * <p>Whatever it says, the broker cuts only inside a range and only at keys where a cut is allowed,
 * one range of a node at a time, and neither beyond the most ranges that a node may hold nor faster
 * than its settings say. An exception is {@link SplitAdvice.Reason#FAILED} and leaves the range as
 * it is.
 */
public interface SplitStrategy extends Extension {

  /** Whether to cut a range, and where. */
  SplitAdvice advise(RangeLoad load, NodeLoad node);

  /**
   * Whether two neighbours should become one range. Where different nodes lead them, neither knows
   * the other's load: then each is asked whether its own range and one just like it should, so with
   * the same load twice, and they become one if both say so.
   *
   * @param left ends where the other begins
   */
  default boolean shouldMerge(RangeLoad left, RangeLoad right) {
    return false;
  }
}
