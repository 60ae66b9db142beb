package io.fjordmq.broker.session;

/**
 * Sent through the pipeline for a frame below MQTT that the client has sent and no packet is in: it
 * counts in the client's read rate.
 */
public record FrameBytes(int bytes) {}
