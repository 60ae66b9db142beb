package io.fjordmq.inbox;

/**
 * Receives events of the inbox store for metrics. Called on hot paths: implementations must be fast
 * and must not throw.
 */
public interface InboxObserver {
  /** Ignores everything. */
  InboxObserver NONE = new InboxObserver() {};

  /** Called when an insert has completed; {@code nanos} is the time since the call. */
  default void onInserted(int targets, long nanos) {}

  /** Called when inserts into this many inboxes had this outcome. */
  default void onOutcome(InboxStore.InsertOutcome outcome, long count) {}

  /** Called when a fetch has completed; {@code nanos} is the time since the call. */
  default void onFetched(int entries, long nanos) {}

  /**
   * Called when acknowledgements of this many inboxes were replicated together; {@code nanos} is
   * the time since they were sent.
   */
  default void onCommitted(int inboxes, long nanos) {}

  /** Called when a busy range has rejected acknowledgements or a detach; the store retries them. */
  default void onBusyRetry() {}

  /**
   * Called when messages were dropped in a range that this node leads, for one of the {@link
   * DropReasons}.
   */
  default void onDropped(String reason, long count) {}

  /** Called when a session has expired in a range that this node leads. */
  default void onExpired() {}

  /** Called when a sweep over all ranges that this node leads has ended. */
  default void onSweep(int ranges, long nanos, boolean succeeded) {}
}
