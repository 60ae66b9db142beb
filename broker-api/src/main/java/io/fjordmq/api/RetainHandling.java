package io.fjordmq.api;

/**
 * When the broker sends retained messages for a new subscription (MQTT 5.0 §3.8.3.1). The protocol
 * value is the ordinal.
 *
 * @since 0.1.0
 */
public enum RetainHandling {
  SEND_ALWAYS,
  SEND_IF_NEW,
  SEND_NEVER
}
