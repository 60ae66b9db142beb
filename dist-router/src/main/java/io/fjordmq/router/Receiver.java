package io.fjordmq.router;

/** Who receives what a route matches. */
public sealed interface Receiver {

  /**
   * A node with live subscribers; it fans out inside itself. For shared subscriptions each live
   * member has a route of its own.
   *
   * @param node node id
   * @param incarnation of the node's process; routes of earlier ones are stale
   * @param member client identifier of the member of a share; empty for ordinary subscriptions
   */
  record Live(String node, long incarnation, String member) implements Receiver {}

  /**
   * The inbox of a persistent session.
   *
   * @param clientId whose it is
   * @param incarnation of the inbox; routes of earlier ones are stale
   */
  record Inbox(String clientId, long incarnation) implements Receiver {}
}
