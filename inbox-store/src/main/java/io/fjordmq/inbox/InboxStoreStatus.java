package io.fjordmq.inbox;

/**
 * Figures of the replicas this node leads. Subscriptions and messages are counted by the sweeper
 * after a start: until it has been everywhere, some seconds for 100,000 inboxes, they are too low.
 *
 * @param inboxes persistent sessions
 * @param attached of them with a connection
 * @param subscriptions they have
 * @param queuedMessages undelivered
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
