package io.fjordmq.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The MQTT 5 properties that the broker forwards unaltered with an application message (MQTT 5.0
 * §3.3.2.3).
 *
 * @param payloadIsUtf8 the Payload Format Indicator; null if absent
 * @param contentType null if absent
 * @param responseTopic null if absent; a valid topic name otherwise
 * @param correlationData null if absent; owned by this record and never modified
 * @param userProperties in the publisher's order
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // never compared or copied
public record MessageProperties(
    @Nullable Boolean payloadIsUtf8,
    @Nullable String contentType,
    @Nullable String responseTopic,
    byte @Nullable [] correlationData,
    List<UserProperty> userProperties) {

  /** No properties, as in every MQTT 3 message. */
  public static final MessageProperties NONE =
      new MessageProperties(null, null, null, null, List.of());

  public MessageProperties {
    userProperties = List.copyOf(userProperties);
  }

  /** Returns true if no property is set. */
  public boolean isEmpty() {
    return this == NONE
        || (payloadIsUtf8 == null
            && contentType == null
            && responseTopic == null
            && correlationData == null
            && userProperties.isEmpty());
  }
}
