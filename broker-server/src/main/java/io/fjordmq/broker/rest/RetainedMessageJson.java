package io.fjordmq.broker.rest;

import io.fjordmq.api.Message;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** A retained message. */
record RetainedMessageJson(
    @Field("Topic of the message") String topic,
    @Field("Tenant of the message") String tenant,
    @Field("QoS with which the message was published") int qos,
    @Field("When the message was published") Instant publishAt,
    @Field("Client identifier of the publisher; absent if the broker published it")
        @Nullable String fromClientid,
    @Field("When the message expires; absent if it never does") @Nullable Instant expiresAt,
    @Field("Payload in Base64, truncated to max_payload_bytes") String payload,
    @Field("Size of the whole payload in bytes") int payloadBytes,
    @Field("MQTT 5 properties; absent if there are none") @Nullable PropertiesJson properties) {

  static RetainedMessageJson of(String tenant, Message message, int maxPayloadBytes) {
    byte[] payload = message.payload();
    byte[] shown =
        payload.length <= maxPayloadBytes ? payload : Arrays.copyOf(payload, maxPayloadBytes);
    return new RetainedMessageJson(
        message.topic().name(),
        tenant,
        message.qos().level(),
        Instant.ofEpochMilli(message.acceptedAtMillis()),
        message.publisher().isEmpty() ? null : message.publisher(),
        message.expiresAtMillis() == Message.NEVER
            ? null
            : Instant.ofEpochMilli(message.expiresAtMillis()),
        Base64.getEncoder().encodeToString(shown),
        payload.length,
        PropertiesJson.of(message));
  }
}
