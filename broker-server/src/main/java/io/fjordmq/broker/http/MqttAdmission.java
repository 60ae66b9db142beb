package io.fjordmq.broker.http;

/** Whether a caller of the API may connect as an MQTT client. */
public sealed interface MqttAdmission {
  /** The caller may connect. */
  record Admitted(MqttUser user) implements MqttAdmission {}

  /** The caller gets this response instead. */
  record Refused(HttpReply reply) implements MqttAdmission {}
}
