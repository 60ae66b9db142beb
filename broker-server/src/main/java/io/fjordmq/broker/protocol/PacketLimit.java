package io.fjordmq.broker.protocol;

/**
 * Pipeline event: from here on packets may have this many bytes, because the client's tenant has a
 * limit of its own.
 */
public record PacketLimit(int bytes) {}
