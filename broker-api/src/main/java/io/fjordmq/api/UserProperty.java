package io.fjordmq.api;

/**
 * A name and value the broker carries without reading; order and repetition are kept (MQTT 5.0
 * §3.3.2.3.7).
 */
public record UserProperty(String name, String value) {}
