package io.fjordmq.inbox;

/**
 * Figures of the replicas this node leads.
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
