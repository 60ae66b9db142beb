package io.fjordmq.broker.session;

/**
 * Sent through the pipeline when a client's tenant allows other packets than all others do: how
 * many bytes a packet may have from here on.
 */
public record PacketLimit(int bytes) {}
