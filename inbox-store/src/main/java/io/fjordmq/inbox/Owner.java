package io.fjordmq.inbox;

/**
 * The process that serves a connection.
 *
 * @param node its node
 * @param incarnation of the process; another one of the same node is not the owner
 */
record Owner(String node, long incarnation) {}
