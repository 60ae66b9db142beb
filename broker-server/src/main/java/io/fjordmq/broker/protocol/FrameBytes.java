package io.fjordmq.broker.protocol;

/**
 * Pipeline event: the client sent a frame below MQTT that contains no packet. Its bytes count
 * toward the client's read rate.
 */
public record FrameBytes(int bytes) {}
