package io.fjordmq.api;

/**
 * A name-value pair that the broker forwards without interpreting it. The broker preserves the
 * order and duplicates of user properties (MQTT 5.0 §3.3.2.3.7).
 *
 * @since 0.1.0
 */
public record UserProperty(String name, String value) {}
