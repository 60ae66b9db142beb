package io.fjordmq.broker.protocol;

/**
 * A pipeline event that changes the maximum size of all further packets, because the client's
 * tenant has its own limit.
 */
public record PacketLimit(int bytes) {}
