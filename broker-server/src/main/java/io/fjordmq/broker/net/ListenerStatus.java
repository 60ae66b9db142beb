package io.fjordmq.broker.net;

/**
 * The state of an open listener.
 *
 * @param name the key of the listener without its section, such as {@code tcpListener}
 * @param type {@code tcp}, {@code ssl}, {@code ws}, {@code wss} or {@code unix}
 * @param bind the address and port, or the path of a Unix domain socket
 * @param url the URL that clients connect to
 * @param connections open connections, including those that have not sent a CONNECT yet
 * @param maxConnections the greatest number of open connections
 */
public record ListenerStatus(
    String name, String type, String bind, String url, int connections, int maxConnections) {}
