package io.fjordmq.broker.trace;

/**
 * The number of receivers of a message, by kind.
 *
 * @param localClients clients connected to this node
 * @param otherNodes other nodes with connected clients
 * @param inboxes persistent sessions that store it
 * @param shares shared subscriptions, of which one member each receives the message
 */
public record Receivers(int localClients, int otherNodes, int inboxes, int shares) {
  void write(TraceText out) {
    out.field("local_clients", localClients)
        .field("other_nodes", otherNodes)
        .field("inboxes", inboxes)
        .field("shares", shares);
  }
}
