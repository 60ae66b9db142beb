package io.fjordmq.inbox;

import io.fjordmq.api.Will;
import java.util.List;

/** What a command asks the leader to have done after the write. */
sealed interface InboxEffect {
  /** Entry for a connected client. */
  record Appended(
      String ownerNode,
      InboxHandle handle,
      long sequence,
      InboxTarget target,
      SharedMessage message)
      implements InboxEffect {}

  /** A connection has lost its inbox. */
  record Fenced(String ownerNode, InboxHandle handle) implements InboxEffect {}

  /**
   * A will has to be published.
   *
   * @param lowest epoch of the oldest will of the session that has to be
   * @param since its place among the client's connections
   */
  record WillDue(
      InboxId id, long incarnation, long epoch, long lowest, ConnectOrder since, Will will)
      implements InboxEffect {}

  /**
   * A session is over.
   *
   * @param expired its client stayed away too long
   */
  record Ended(InboxId id, long incarnation, List<InboxSubscription> subscriptions, boolean expired)
      implements InboxEffect {}

  /** An ended session has left messages that may have to go to other members of shares. */
  record SharesLeft(InboxId id, long incarnation) implements InboxEffect {}

  /** Messages were lost. */
  record Dropped(InboxId id, String reason, long count) implements InboxEffect {}
}
