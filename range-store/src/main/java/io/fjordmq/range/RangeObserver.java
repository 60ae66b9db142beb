package io.fjordmq.range;

/**
 * Receives events of a node's ranges and range clients, for metrics. Called on hot paths:
 * implementations must be fast and must not throw. All methods are optional.
 */
public interface RangeObserver {
  /** Ignores all events. */
  RangeObserver NONE = new RangeObserver() {};

  /** A client sent a batch for the first time. */
  default void onBatchSent(RangeId range, int commands, long bytes) {}

  /** A client's batch was applied, this long after it was first sent. */
  default void onBatchApplied(RangeId range, long nanos) {}

  /** A client rejected a command: its queue for the range is full, or a batch has just failed. */
  default void onBusy(RangeId range) {}

  /** A client retries a batch or query. */
  default void onRetry(RangeId range, String reason) {}

  /** A replica reported that it does not lead, or that the client routed by an outdated epoch. */
  default void onRedirect(RangeId range) {}

  /** A client gave up on a batch: its deadline passed, or its outcome can no longer be known. */
  default void onGiveUp(RangeId range) {}

  /** A leader applied an entry that it had proposed, this long after the proposal. */
  default void onProposalApplied(RangeId range, long nanos) {}

  /** A replica executed entries and wrote their changes in a single write. */
  default void onApplied(RangeId range, int entries, int commands, long writtenBytes, long nanos) {}

  /** A replica recognized a duplicate of a batch that it had already applied. */
  default void onDuplicate(RangeId range) {}

  /** A replica evicted the least recently used sender. */
  default void onSenderEvicted(RangeId range) {}

  /** A leader executed a query. */
  default void onQuery(RangeId range, long nanos) {}

  /** A replica stopped because of an error; it will be reopened. */
  default void onHalted(RangeId range) {}

  /** A broken replica was removed from this node; an empty one will replace it. */
  default void onRebuilt(RangeId range) {}

  /** A replica applied a split: the range moved some of its keys to another range. */
  default void onSplit(RangeId range, RangeId other) {}

  /** A replica applied a merge: the range absorbed its right neighbor. */
  default void onMerge(RangeId range, RangeId other) {}

  /**
   * The node decided whether to split or merge a range that it leads; once a second for each range.
   *
   * @param decision {@code split}, {@code merge}, or the reason for neither, in lower case
   */
  default void onSplitDecision(RangeId range, String decision) {}

  /** A checkpoint of all ranges with new entries completed. */
  default void onCheckpoint(long nanos) {}
}
