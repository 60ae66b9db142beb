package io.fjordmq.broker.ops;

/**
 * What clients have sent and got since the process began.
 *
 * @param connected clients at the moment
 * @param transientSubscriptions at the moment, of sessions that end with their connections
 * @param expiredSessions persistent sessions whose clients stayed away too long
 * @param sockets connections that were opened, refused ones included
 * @param connects CONNECT packets
 * @param packetsReceived control packets from clients
 * @param packetsSent control packets to clients
 * @param bytesReceived of packets from clients
 * @param bytesSent of packets to clients
 * @param publishesReceived PUBLISH packets from clients
 * @param publishesSent PUBLISH packets to clients
 * @param publishesDropped copies of messages that did not reach their receiver
 * @param publishBytesReceived of the PUBLISH packets from clients
 * @param publishBytesSent of the PUBLISH packets to clients
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
