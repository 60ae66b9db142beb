package io.fjordmq.inbox;

/**
 * Statistics of the ranges that this node leads. After a start, the sweeper counts subscriptions
 * and messages in the background. Both counts are too low until counting has finished, which takes
 * some seconds for 100,000 inboxes.
 *
 * @param inboxes number of persistent sessions
 * @param attached number of persistent sessions with a connection
 * @param subscriptions number of their subscriptions
 * @param queuedMessages number of undelivered messages
 */
public record InboxStoreStatus(
    long inboxes, long attached, long subscriptions, long queuedMessages) {

  InboxStoreStatus plus(InboxStoreStatus other) {
    return new InboxStoreStatus(
        inboxes + other.inboxes,
        attached + other.attached,
        subscriptions + other.subscriptions,
        queuedMessages + other.queuedMessages);
  }
}
