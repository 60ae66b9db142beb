package io.fjordmq.api;

/**
 * When a subscription is sent the retained messages that match it (MQTT 5.0 §3.8.3.1); wire value =
 * ordinal.
 */
public enum RetainHandling {
  SEND_ALWAYS,
  SEND_IF_NEW,
  SEND_NEVER
}
