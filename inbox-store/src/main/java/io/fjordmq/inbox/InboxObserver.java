package io.fjordmq.inbox;

/**
 * Receives events of the inbox store for metrics. Called on hot paths: implementations must be fast
 * and must not throw.
 */
public interface InboxObserver {
  /** Ignores everything. */
  InboxObserver NONE = new InboxObserver() {};

  /** An insert completed; {@code nanos} is the time since the call. */
  default void inserted(int targets, long nanos) {}

  /** Inserts into this many inboxes had this outcome. */
  default void outcome(InboxStore.InsertOutcome outcome, long count) {}

  /** A fetch completed; {@code nanos} is the time since the call. */
  default void fetched(int entries, long nanos) {}

  /**
   * Acknowledgements of this many inboxes were replicated together; {@code nanos} is the time since
   * they were sent.
   */
  default void committed(int inboxes, long nanos) {}

  /** A busy range rejected acknowledgements or a detach, which are retried. */
  default void retriedBusy() {}

  /** Messages were dropped in a range that this node leads, for one of the {@link DropReasons}. */
  default void dropped(String reason, long count) {}

  /** A session expired in a range that this node leads. */
  default void expired() {}

  /** A sweep over all ranges that this node leads has ended. */
  default void swept(int ranges, long nanos, boolean succeeded) {}
}
