package io.fjordmq.range;

/**
 * Receives events of a node's ranges and range clients, for metrics. Called on hot paths:
 * implementations must be fast and must not throw. All methods are optional.
 */
public interface RangeObserver {
  /** Ignores all events. */
  RangeObserver NONE = new RangeObserver() {};

  /** Called when a client sends a batch for the first time. */
  default void onBatchSent(RangeId range, int commands, long bytes) {}

  /**
   * Called when a client's batch was applied; {@code nanos} is the time since it was first sent.
   */
  default void onBatchApplied(RangeId range, long nanos) {}

  /**
   * Called when a client rejects a command because its queue for the range is full or a batch has
   * just failed.
   */
  default void onBusy(RangeId range) {}

  /** Called when a client retries a batch or query. */
  default void onRetry(RangeId range, String reason) {}

  /**
   * Called when a replica reports that it does not lead, or that the client routed by an outdated
   * epoch.
   */
  default void onRedirect(RangeId range) {}

  /**
   * Called when a client gives up on a batch because its deadline has passed or its outcome can no
   * longer be determined.
   */
  default void onGiveUp(RangeId range) {}

  /**
   * Called when a leader has applied an entry that it had proposed; {@code nanos} is the time since
   * the proposal.
   */
  default void onProposalApplied(RangeId range, long nanos) {}

  /** Called when a replica has executed entries and written their changes in a single write. */
  default void onApplied(RangeId range, int entries, int commands, long writtenBytes, long nanos) {}

  /** Called when a replica recognizes a duplicate of a batch that it has already applied. */
  default void onDuplicate(RangeId range) {}

  /** Called when a replica evicts the least recently used sender. */
  default void onSenderEvicted(RangeId range) {}

  /** Called when a leader has executed a query. */
  default void onQuery(RangeId range, long nanos) {}

  /** Called when a replica has halted because of an error; it will be reopened. */
  default void onHalted(RangeId range) {}

  /** Called when a broken replica was removed from this node; an empty one will replace it. */
  default void onRebuilt(RangeId range) {}

  /**
   * Called when a replica has applied a split, which moved some of the range's keys to another
   * range.
   */
  default void onSplit(RangeId range, RangeId other) {}

  /** Called when a replica has applied a merge, in which the range absorbed its right neighbor. */
  default void onMerge(RangeId range, RangeId other) {}

  /**
   * Called when the node has decided whether to split or merge a range that it leads, once a second
   * for each range.
   *
   * @param decision {@code split}, {@code merge}, or the reason for neither, in lower case
   */
  default void onSplitDecision(RangeId range, String decision) {}

  /**
   * Called on the node that leads the metadata group when it has carried out a placement step, or
   * failed to.
   *
   * @param kind the label of the {@code StepKind}
   */
  default void onPlacementStep(RangeId range, String kind, boolean succeeded) {}

  /**
   * Called on the node that leads a range when it has compared a slice with the replica of another
   * node.
   *
   * @param result {@code equal}, {@code different}, or {@code skipped} if the other replica has no
   *     hash of this slice
   */
  default void onCompared(RangeId range, String result) {}

  /** Called when a checkpoint of all ranges with new entries has completed. */
  default void onCheckpoint(long nanos) {}
}
