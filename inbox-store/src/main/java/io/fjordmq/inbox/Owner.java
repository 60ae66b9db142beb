package io.fjordmq.inbox;

/**
 * The node that serves a connection.
 *
 * @param node id of the node
 * @param incarnation incarnation of the node; any other incarnation is not the owner
 */
public record Owner(String node, long incarnation) {}
