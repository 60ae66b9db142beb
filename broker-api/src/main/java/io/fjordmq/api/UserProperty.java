package io.fjordmq.api;

/**
 * A name-value pair that the broker forwards without interpreting it. Order and duplicates are
 * preserved (MQTT 5.0 §3.3.2.3.7).
 */
public record UserProperty(String name, String value) {}
