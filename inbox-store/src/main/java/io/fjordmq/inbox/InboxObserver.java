package io.fjordmq.inbox;

/**
 * Hears what happens in the inbox store, to count and measure it. Called on hot threads: must be
 * fast and not throw. Everything is optional.
 */
public interface InboxObserver {
  /** Ignores everything. */
  InboxObserver NONE = new InboxObserver() {};

  /** A message was durably offered to inboxes; time since the call. */
  default void inserted(int targets, long nanos) {}

  /** What became of copies. */
  default void outcome(InboxStore.InsertOutcome outcome, long count) {}

  /** Entries were read from storage; time since the call. */
  default void fetched(int entries, long nanos) {}

  /** Acknowledgements of that many inboxes were replicated together; time since they were sent. */
  default void committed(int inboxes, long nanos) {}

  /** Acknowledgements or a detach were refused by a busy range and are tried again. */
  default void retriedBusy() {}

  /** This node leads a range in which messages were dropped; reasons in {@link DropReasons}. */
  default void dropped(String reason, long count) {}

  /** In a range this node leads a session ended because its client stayed away too long. */
  default void expired() {}

  /** A sweep over all ranges led here has ended. */
  default void swept(int ranges, long nanos, boolean succeeded) {}
}
