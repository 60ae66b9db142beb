package io.fjordmq.broker.session;

import org.jspecify.annotations.Nullable;

/**
 * The attributes of a client that do not change while it is connected.
 *
 * @param userName null if anonymous
 * @param address IP address, behind a trusted proxy that of the client; empty for Unix sockets
 * @param port TCP port of the client; 0 for Unix sockets
 * @param listener name of the listener, for example {@code tcpListener}
 * @param protocolLevel 3 (MQTT 3.1), 4 (3.1.1) or 5
 * @param keepAliveSeconds the granted keep alive; 0 for none
 * @param expirySeconds the session expiry interval granted in the CONNACK
 * @param persistent whether the session outlives the connection
 * @param connectedAtMillis when the client got its CONNACK, in epoch milliseconds
 */
public record ClientAttributes(
    String tenant,
    String clientId,
    @Nullable String userName,
    String address,
    int port,
    String listener,
    boolean encrypted,
    int protocolLevel,
    int keepAliveSeconds,
    boolean cleanStart,
    long expirySeconds,
    boolean persistent,
    boolean hasWill,
    long connectedAtMillis) {}
