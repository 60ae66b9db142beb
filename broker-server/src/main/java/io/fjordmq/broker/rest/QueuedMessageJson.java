package io.fjordmq.broker.rest;

import io.fjordmq.api.Message;
import io.fjordmq.broker.query.QueueQueries.Peeked;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** A message for a client. */
record QueuedMessageJson(
    @Field("Topic; absent if the message is not kept") @Nullable String topic,
    @Field("QoS of the delivery") @Nullable Integer qos,
    @Field("RETAIN flag of the delivery") @Nullable Boolean retain,
    @Field("When the message was published") @Nullable Instant publishAt,
    @Field("Client identifier of the publisher; absent if the broker published it")
        @Nullable String fromClientid,
    @Field("When the message expires; absent if it never does") @Nullable Instant expiresAt,
    @Field(
            "Payload in the encoding that the parameter payload selects; truncated to"
                + " max_payload_bytes")
        @Nullable String payload,
    @Field("Size of the whole payload in bytes") @Nullable Integer payloadBytes,
    @Field("Packet identifier of a message in flight") @Nullable Integer packetId,
    @Field("Packet that a message in flight is awaiting: puback, pubrec or pubcomp")
        @Nullable String awaits) {
  /** How payloads are shown. */
  static final String BASE64 = "base64";

  static final String PLAIN = "plain";
  static final String NONE = "none";

  static QueuedMessageJson of(Peeked peeked, String payloadEncoding) {
    @Nullable Message message = peeked.message();
    return new QueuedMessageJson(
        message == null ? null : message.topic().name(),
        peeked.qos() == null ? null : peeked.qos().level(),
        message == null ? null : peeked.retain(),
        message == null ? null : Instant.ofEpochMilli(message.acceptedAtMillis()),
        message == null || message.publisher().isEmpty() ? null : message.publisher(),
        message == null || message.expiresAtMillis() == Message.NEVER
            ? null
            : Instant.ofEpochMilli(message.expiresAtMillis()),
        message == null ? null : text(message.payload(), payloadEncoding),
        message == null ? null : peeked.payloadBytes(),
        peeked.packetId() == 0 ? null : peeked.packetId(),
        peeked.awaits());
  }

  private static @Nullable String text(byte[] payload, String encoding) {
    return switch (encoding) {
      case NONE -> null;
      case PLAIN -> new String(payload, StandardCharsets.UTF_8);
      default -> Base64.getEncoder().encodeToString(payload);
    };
  }
}
