package io.fjordmq.broker.rest;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.UserProperty;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The MQTT 5 properties of a message. */
record PropertiesJson(
    @Field(value = "Payload Format Indicator: 1 if the payload is UTF-8", min = 0, max = 1)
        @Nullable Integer payloadFormatIndicator,
    @Field(value = "Message Expiry Interval in seconds", min = 0, max = 4_294_967_295L)
        @Nullable Long messageExpiryInterval,
    @Field(value = "Response Topic", rule = TextRule.TOPIC) @Nullable String responseTopic,
    @Field("Correlation Data, as text") @Nullable String correlationData,
    @Field(value = "User Properties; each name can occur only once", rule = TextRule.WITHOUT_NUL)
        @Nullable Map<String, String> userProperties,
    @Field(value = "Content Type", rule = TextRule.WITHOUT_NUL) @Nullable String contentType) {
  private static final int MAX_TEXT = 65_535;

  /**
   * Validates the properties.
   *
   * @throws IllegalArgumentException if one has too many bytes for MQTT
   */
  PropertiesJson {
    requireShort("correlation_data", correlationData);
    requireShort("content_type", contentType);
    if (userProperties != null) {
      userProperties.forEach(
          (name, value) -> {
            requireShort("user_properties", name);
            requireShort("user_properties", value);
          });
    }
  }

  private static void requireShort(String field, @Nullable String text) {
    if (text == null) {
      return;
    }
    if (text.length() > MAX_TEXT / 3 && text.getBytes(StandardCharsets.UTF_8).length > MAX_TEXT) {
      throw new IllegalArgumentException(
          "properties." + field + ": must have at most " + MAX_TEXT + " bytes");
    }
  }

  @SuppressWarnings("NullAway") // does not know that an array component may be null
  MessageProperties toProperties() {
    List<UserProperty> users =
        userProperties == null
            ? List.of()
            : userProperties.entrySet().stream()
                .map(each -> new UserProperty(each.getKey(), each.getValue()))
                .toList();
    return new MessageProperties(
        payloadFormatIndicator == null ? null : payloadFormatIndicator == 1,
        contentType,
        responseTopic,
        correlationData == null ? null : correlationData.getBytes(StandardCharsets.UTF_8),
        users);
  }

  /** Returns when a message with these properties expires, in epoch milliseconds. */
  long expiresAtMillis(long nowMillis) {
    return messageExpiryInterval == null
        ? Message.NEVER
        : nowMillis + messageExpiryInterval * 1_000;
  }

  /** Returns the properties of a message; null if it has none. */
  static @Nullable PropertiesJson of(Message message) {
    MessageProperties from = message.properties();
    if (from.isEmpty()) {
      return null;
    }
    Map<String, String> users = new LinkedHashMap<>();
    from.userProperties().forEach(property -> users.put(property.name(), property.value()));
    return new PropertiesJson(
        from.payloadIsUtf8() == null ? null : from.payloadIsUtf8() ? 1 : 0,
        null,
        from.responseTopic(),
        from.correlationData() == null
            ? null
            : new String(from.correlationData(), StandardCharsets.UTF_8),
        users.isEmpty() ? null : users,
        from.contentType());
  }
}
