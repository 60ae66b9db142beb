package io.fjordmq.broker.rest;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** A message to publish. */
record PublishJson(
    @Field(
            value = "Topic name outside $SYS",
            rule = TextRule.TOPIC_FOR_PUBLISH,
            example = "site/1/temperature")
        String topic,
    @Field(value = "Payload in the encoding that payload_encoding selects", example = "21.5")
        String payload,
    @Field("Encoding of the payload: plain (default) or base64")
        @Nullable PayloadEncoding payloadEncoding,
    @Field(value = "QoS; default 0", min = 0, max = 2) @Nullable Integer qos,
    @Field("Whether the message is retained; default false") @Nullable Boolean retain,
    @Field(
            value = "Client identifier of the publisher, for No Local and retained messages",
            maxLength = 21_845, // so that it has at most 65,535 bytes
            pattern = "[^\\u0000]*")
        @Nullable String clientid,
    @Field("MQTT 5 properties") @Nullable PropertiesJson properties) {
  /** How a payload is encoded. */
  enum PayloadEncoding {
    PLAIN,
    BASE64
  }

  /**
   * Validates the payload.
   *
   * @throws IllegalArgumentException if it is not valid
   */
  PublishJson {
    bytesOf(payload, payloadEncoding);
  }

  private static byte[] bytesOf(String payload, @Nullable PayloadEncoding encoding) {
    if (encoding != PayloadEncoding.BASE64) {
      return payload.getBytes(StandardCharsets.UTF_8);
    }
    try {
      return Base64.getDecoder().decode(payload);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("payload: not valid Base64", e);
    }
  }

  Message toMessage(long nowMillis) {
    return new Message(
        new Topic(topic),
        bytesOf(payload, payloadEncoding),
        Qos.of(qos == null ? 0 : qos),
        retain != null && retain,
        properties == null ? MessageProperties.NONE : properties.toProperties(),
        clientid == null ? "" : clientid,
        nowMillis,
        properties == null ? Message.NEVER : properties.expiresAtMillis(nowMillis));
  }
}
