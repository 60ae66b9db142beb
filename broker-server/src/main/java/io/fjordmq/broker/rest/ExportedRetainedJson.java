package io.fjordmq.broker.rest;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.UserProperty;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A retained message, as exported and imported. */
record ExportedRetainedJson(
    @Field(value = "Topic outside $SYS", rule = TextRule.TOPIC_FOR_PUBLISH) String topic,
    @Field(value = "Tenant of the message; default: that of the caller, or none", maxLength = 120)
        @Nullable String tenant,
    @Field(value = "QoS with which the message was published", min = 0, max = 2) int qos,
    @Field("Payload in Base64") String payload,
    @Field(
            value = "Client identifier of the publisher; absent if the broker published it",
            maxLength = 21_845,
            pattern = "[^\\u0000]*")
        @Nullable String fromClientid,
    @Field("When the message was published") Instant publishAt,
    @Field("When the message expires; absent if it never does") @Nullable Instant expiresAt,
    @Field(value = "Payload Format Indicator: 1 if the payload is UTF-8", min = 0, max = 1)
        @Nullable Integer payloadFormatIndicator,
    @Field(value = "Content Type", maxLength = 21_845, pattern = "[^\\u0000]*")
        @Nullable String contentType,
    @Field(value = "Response Topic", rule = TextRule.TOPIC) @Nullable String responseTopic,
    @Field("Correlation Data in Base64") @Nullable String correlationData,
    @Field(value = "User Properties, in order", maxLength = 1_000)
        @Nullable List<ExportedProperty> userProperties) {

  /** A User Property; names may be repeated. */
  record ExportedProperty(
      @Field(value = "Name", maxLength = 21_845, pattern = "[^\\u0000]*") String name,
      @Field(value = "Value", maxLength = 21_845, pattern = "[^\\u0000]*") String value) {}

  /**
   * @throws IllegalArgumentException if a value is not Base64
   */
  ExportedRetainedJson {
    decode("payload", payload);
    if (correlationData != null && decode("correlation_data", correlationData).length > 65_535) {
      throw new IllegalArgumentException("correlation_data: must have at most 65535 bytes");
    }
  }

  private static byte[] decode(String field, String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(field + ": not valid Base64", e);
    }
  }

  static ExportedRetainedJson of(String tenant, Message message) {
    MessageProperties properties = message.properties();
    Boolean isUtf8 = properties.payloadIsUtf8();
    byte[] correlation = properties.correlationData();
    List<ExportedProperty> users =
        properties.userProperties().stream()
            .map(each -> new ExportedProperty(each.name(), each.value()))
            .toList();
    return new ExportedRetainedJson(
        message.topic().name(),
        tenant,
        message.qos().level(),
        Base64.getEncoder().encodeToString(message.payload()),
        message.publisher().isEmpty() ? null : message.publisher(),
        Instant.ofEpochMilli(message.acceptedAtMillis()),
        message.expiresAtMillis() == Message.NEVER
            ? null
            : Instant.ofEpochMilli(message.expiresAtMillis()),
        isUtf8 == null ? null : isUtf8 ? 1 : 0,
        properties.contentType(),
        properties.responseTopic(),
        correlation == null ? null : Base64.getEncoder().encodeToString(correlation),
        users.isEmpty() ? null : users);
  }

  @SuppressWarnings("NullAway") // does not know that an array component may be null
  Message toMessage() {
    MessageProperties properties =
        new MessageProperties(
            payloadFormatIndicator == null ? null : payloadFormatIndicator == 1,
            contentType,
            responseTopic,
            correlationData == null ? null : decode("correlation_data", correlationData),
            Objects.requireNonNullElse(userProperties, List.<ExportedProperty>of()).stream()
                .map(each -> new UserProperty(each.name(), each.value()))
                .toList());
    return new Message(
        new Topic(topic),
        decode("payload", payload),
        Qos.of(qos),
        true,
        properties,
        fromClientid == null ? "" : fromClientid,
        publishAt.toEpochMilli(),
        expiresAt == null ? Message.NEVER : expiresAt.toEpochMilli());
  }
}
