package io.fjordmq.inbox;

import io.fjordmq.api.Will;
import java.util.List;

/**
 * What the leaders of inbox ranges tell the broker. Called on apply threads and on the store's
 * sweeper; must not block. Messages of one inbox come in order.
 */
public interface InboxListener {

  /**
   * Entries were appended to an inbox that is attached; they are durable. May skip entries: a
   * receiver that sees a gap in the sequences reads with {@link InboxStore#fetch}.
   *
   * @param ownerNode the node to hand them to
   * @param entries ascending
   */
  void appended(String ownerNode, InboxHandle handle, List<InboxEntry> entries);

  /**
   * A range of inboxes has a leader here, newly elected or opened again. What was appended just
   * before may not have been told, and nothing more may come to show the gap: whoever holds one of
   * its inboxes has to {@link InboxStore#fetch} once.
   *
   * @param concerned the inboxes of the range
   */
  void leading(InboxSpan concerned);

  /** Another attach or a discard has taken the inbox from this connection. */
  void fenced(String ownerNode, InboxHandle handle);

  /**
   * A will is to be published now. Repeated until {@link InboxStore#willPublished} says so; publish
   * it with the id given so that repetitions are stored once.
   *
   * @param since its place among the client's connections: what a later one publishes comes after
   *     it, what an earlier one has published before it
   */
  void willDue(
      InboxId id, long incarnation, long epoch, Will will, ConnectOrder since, PublishId publishId);

  /** A session has ended (expiry, detach with 0); the routes of its subscriptions have to go. */
  void ended(InboxId id, long incarnation, List<InboxSubscription> subscriptions);

  /**
   * A session has ended with messages of shares that its client did not get: other members are to
   * have them. Repeated until {@link InboxStore#takeLeft} has answered that nothing is left.
   */
  void leftToShares(InboxId id, long incarnation);
}
