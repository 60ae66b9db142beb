package io.fjordmq.broker.ops;

/**
 * Counters of client traffic since the process started.
 *
 * @param connected clients connected now
 * @param transientSubscriptions current subscriptions of transient sessions
 * @param expiredSessions persistent sessions that have expired
 * @param sockets connections opened, including refused ones
 * @param connects CONNECT packets
 * @param packetsReceived control packets from clients
 * @param packetsSent control packets to clients
 * @param bytesReceived bytes of packets from clients
 * @param bytesSent bytes of packets to clients
 * @param publishesReceived PUBLISH packets from clients
 * @param publishesSent PUBLISH packets to clients
 * @param publishesDropped copies of messages that did not reach their receiver
 * @param publishBytesReceived bytes of PUBLISH packets from clients
 * @param publishBytesSent bytes of PUBLISH packets to clients
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
