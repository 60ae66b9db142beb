package io.fjordmq.broker.protocol;

/**
 * A pipeline event that reports a transport-level frame without any MQTT packet, such as a
 * WebSocket ping. Its bytes count toward the client's read rate.
 */
public record FrameBytes(int bytes) {}
