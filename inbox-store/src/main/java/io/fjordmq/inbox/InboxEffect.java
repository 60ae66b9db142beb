package io.fjordmq.inbox;

import io.fjordmq.api.Will;
import java.util.List;

/** An action that an applied command requests from the leader after the write. */
sealed interface InboxEffect {
  /** Reports that an entry was appended to an attached inbox. */
  record Appended(
      String ownerNode, InboxHandle handle, long sequence, InboxTarget target, LazyMessage message)
      implements InboxEffect {}

  /** Reports that a handle was fenced. */
  record Fenced(String ownerNode, InboxHandle handle) implements InboxEffect {}

  /**
   * Reports that a will is due.
   *
   * @param lowestEpoch epoch of the session's oldest due will
   * @param connectOrder connect order of the will
   */
  record WillDue(
      InboxId id,
      long incarnation,
      long epoch,
      long lowestEpoch,
      ConnectOrder connectOrder,
      Will will)
      implements InboxEffect {}

  /**
   * Reports that a session has ended.
   *
   * @param expired true if it outlived its connection and then expired
   */
  record SessionEnded(
      InboxId id, long incarnation, List<InboxSubscription> subscriptions, boolean expired)
      implements InboxEffect {}

  /** Reports that an ended session has undelivered messages for other members of shares. */
  record ShareMessagesUndelivered(InboxId id, long incarnation) implements InboxEffect {}

  /** Reports that messages were dropped. */
  record Dropped(InboxId id, String reason, long count) implements InboxEffect {}
}
