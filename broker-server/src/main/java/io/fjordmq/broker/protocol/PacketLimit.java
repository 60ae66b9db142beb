package io.fjordmq.broker.protocol;

/**
 * A pipeline event that changes the maximum packet size from here on, because the client's tenant
 * has its own limit.
 */
public record PacketLimit(int bytes) {}
