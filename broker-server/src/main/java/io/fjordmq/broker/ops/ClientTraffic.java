package io.fjordmq.broker.ops;

/**
 * Counters of client traffic since the process started.
 *
 * @param connected currently connected clients
 * @param transientSubscriptions current number of subscriptions of transient sessions
 * @param expiredSessions persistent sessions that have expired
 * @param sockets connections opened, including refused ones
 * @param connects CONNECT packets received
 * @param packetsReceived control packets received from clients
 * @param packetsSent control packets sent to clients
 * @param bytesReceived bytes of control packets received from clients
 * @param bytesSent bytes of control packets sent to clients
 * @param publishesReceived PUBLISH packets received from clients
 * @param publishesSent PUBLISH packets sent to clients
 * @param publishesDropped copies of messages that did not reach their receiver
 * @param publishBytesReceived bytes of PUBLISH packets received from clients
 * @param publishBytesSent bytes of PUBLISH packets sent to clients
 */
public record ClientTraffic(
    long connected,
    long transientSubscriptions,
    long expiredSessions,
    long sockets,
    long connects,
    long packetsReceived,
    long packetsSent,
    long bytesReceived,
    long bytesSent,
    long publishesReceived,
    long publishesSent,
    long publishesDropped,
    long publishBytesReceived,
    long publishBytesSent) {}
