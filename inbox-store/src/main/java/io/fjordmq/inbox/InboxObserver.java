package io.fjordmq.inbox;

/**
 * Receives events of the inbox store for metrics. Called on hot paths: implementations must be fast
 * and must not throw.
 */
public interface InboxObserver {
  /** Ignores everything. */
  InboxObserver NONE = new InboxObserver() {};

  /** An insert completed; {@code nanos} is the time since the call. */
  default void onInserted(int targets, long nanos) {}

  /** Inserts into this many inboxes had this outcome. */
  default void onOutcome(InboxStore.InsertOutcome outcome, long count) {}

  /** A fetch completed; {@code nanos} is the time since the call. */
  default void onFetched(int entries, long nanos) {}

  /**
   * Acknowledgements of this many inboxes were replicated together; {@code nanos} is the time since
   * they were sent.
   */
  default void onCommitted(int inboxes, long nanos) {}

  /** A busy range rejected acknowledgements or a detach, which are retried. */
  default void onBusyRetry() {}

  /** Messages were dropped in a range that this node leads, for one of the {@link DropReasons}. */
  default void onDropped(String reason, long count) {}

  /** A session expired in a range that this node leads. */
  default void onExpired() {}

  /** A sweep over all ranges that this node leads has ended. */
  default void onSweep(int ranges, long nanos, boolean succeeded) {}
}
