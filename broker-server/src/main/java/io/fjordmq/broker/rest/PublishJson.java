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
    @Field(value = "Topic name", example = "site/1/temperature") String topic,
    @Field(value = "Payload in the encoding that payload_encoding selects", example = "21.5")
        String payload,
    @Field("Encoding of the payload: plain (default) or base64")
        @Nullable PayloadEncoding payloadEncoding,
    @Field(value = "QoS; default 0", min = 0, max = 2) @Nullable Integer qos,
    @Field("Whether the message is retained; default false") @Nullable Boolean retain,
    @Field(
            value = "Client identifier of the publisher, for No Local and retained messages",
            maxLength = 21_845) // so that it has at most 65,535 bytes
        @Nullable String clientid,
    @Field("MQTT 5 properties") @Nullable PropertiesJson properties) {
  /** How a payload is encoded. */
  enum PayloadEncoding {
    PLAIN,
    BASE64
  }

  /**
   * Validates the topic and the payload.
   *
   * @throws IllegalArgumentException if one is not valid
   */
  PublishJson {
    topicOf(topic);
    bytesOf(payload, payloadEncoding);
    if (clientid != null && clientid.indexOf(0) >= 0) {
      throw new IllegalArgumentException("clientid: must not contain U+0000");
    }
  }

  private static Topic topicOf(String topic) {
    Topic parsed;
    try {
      parsed = new Topic(topic);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("topic: " + e.getMessage(), e);
    }
    if (topic.equals("$SYS") || topic.startsWith("$SYS/")) {
      throw new IllegalArgumentException("topic: only the broker may publish to $SYS");
    }
    return parsed;
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
        topicOf(topic),
        bytesOf(payload, payloadEncoding),
        Qos.of(qos == null ? 0 : qos),
        retain != null && retain,
        properties == null ? MessageProperties.NONE : properties.toProperties(),
        clientid == null ? "" : clientid,
        nowMillis,
        properties == null ? Message.NEVER : properties.expiresAtMillis(nowMillis));
  }
}
