package io.fjordmq.inbox;

/**
 * Names a message whose insertion may be repeated, so that it is stored once (QoS 2 publishers
 * across reconnects and restarts; wills).
 *
 * @param producer unique for ever, e.g. the publisher inbox's incarnation
 * @param sequence grows with each new message of the producer
 * @param lowest no message of the producer below this will be repeated any more
 */
public record PublishId(long producer, long sequence, long lowest) {}
