package io.fjordmq.range;

/**
 * Hears what happens in the ranges of a node, to count and measure it. Called on hot threads: must
 * be fast and not throw. Everything is optional.
 */
public interface RangeObserver {
  /** Ignores everything. */
  RangeObserver NONE = new RangeObserver() {};

  /** A client sent a batch for the first time. */
  default void batchSent(RangeId range, int commands, long bytes) {}

  /** A client's batch was applied; time since it was first sent. */
  default void batchDone(RangeId range, long nanos) {}

  /** A client refused a command: its queue to the range is full, or a batch was given up. */
  default void refusedBusy(RangeId range) {}

  /** A client tries a batch or query again. */
  default void retried(RangeId range, String reason) {}

  /** A client was told that another node leads, or that it routes by an old epoch. */
  default void redirected(RangeId range) {}

  /** A client gave up a batch or query at its deadline. */
  default void gaveUp(RangeId range) {}

  /** A leader applied an entry that it had proposed. */
  default void proposalApplied(RangeId range, long nanos) {}

  /** A replica executed and wrote entries in one go. */
  default void applied(RangeId range, int entries, int commands, long writtenBytes, long nanos) {}

  /** A replica recognised a batch that it had applied before. */
  default void duplicate(RangeId range) {}

  /** A replica forgot the sender that was used longest ago, to make room. */
  default void senderForgotten(RangeId range) {}

  /** A leader answered a query. */
  default void queried(RangeId range, long nanos) {}

  /** A replica stopped because of an error; it will be reopened. */
  default void halted(RangeId range) {}

  /** A broken replica was removed from this node, to be replaced by an empty one. */
  default void rebuilt(RangeId range) {}

  /** A replica applied a split: the range has given keys to another one. */
  default void split(RangeId range, RangeId other) {}

  /** A replica applied a merge: the range has taken in its right neighbour. */
  default void merged(RangeId range, RangeId other) {}

  /**
   * It was judged whether a range that is led here should be split or merged; once a second for
   * each.
   *
   * @param decision {@code split}, {@code merge}, or why neither, in lower case
   */
  default void judged(RangeId range, String decision) {}

  /** The ranges of the node that had something new have a checkpoint now. */
  default void checkpointed(long nanos) {}
}
