package io.fjordmq.router;

/** The destination of the messages that a route matches. */
public sealed interface Receiver {

  /**
   * A node with connected subscribers, to which it delivers the messages itself. For shared
   * subscriptions, each connected member has its own route.
   *
   * @param node node id
   * @param incarnation incarnation of the node; routes of earlier ones are stale
   * @param member client identifier of the share member; empty for non-shared subscriptions
   */
  record Live(String node, long incarnation, String member) implements Receiver {}

  /**
   * The inbox of a persistent session.
   *
   * @param clientId client identifier of the session
   * @param incarnation incarnation of the inbox; routes of earlier ones are stale
   */
  record Inbox(String clientId, long incarnation) implements Receiver {}
}
