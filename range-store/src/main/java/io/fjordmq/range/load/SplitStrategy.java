package io.fjordmq.range.load;

/**
 * Says when ranges are cut in two and when two become one. The leader of a range asks once a second
 * about each range that it leads; one call at a time, on a thread of its own. Must not block: what
 * takes longer delays decisions about all ranges of the node.
 *
 * <p>Whatever it says, the broker cuts only at keys where a cut is allowed, one range at a time,
 * and neither beyond the most ranges that a node may hold nor faster than its settings say. An
 * exception is {@link SplitAdvice.Reason#FAILED} and leaves the range as it is.
 */
interface SplitStrategy {

  /** Whether to cut a range, and where. */
  SplitAdvice advise(RangeLoad load, NodeLoad node);

  /**
   * Whether two neighbours should become one range. Asked only if the same node leads both.
   *
   * @param left ends where the other begins
   */
  boolean shouldMerge(RangeLoad left, RangeLoad right);
}
