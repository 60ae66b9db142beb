package io.fjordmq.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The MQTT 5 properties that travel with an application message unaltered (MQTT 5.0 §3.3.2.3).
 *
 * @param payloadIsUtf8 the Payload Format Indicator; null if absent
 * @param contentType null if absent
 * @param responseTopic null if absent; a valid topic name otherwise
 * @param correlationData null if absent; owned by this record, never changed
 * @param userProperties in the publisher's order
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody, copied by nobody
public record MessageProperties(
    @Nullable Boolean payloadIsUtf8,
    @Nullable String contentType,
    @Nullable String responseTopic,
    byte @Nullable [] correlationData,
    List<UserProperty> userProperties) {

  /** A message without any of them, as every MQTT 3 message is. */
  public static final MessageProperties NONE =
      new MessageProperties(null, null, null, null, List.of());

  public MessageProperties {
    userProperties = List.copyOf(userProperties);
  }

  /** True if there is nothing to carry. */
  public boolean isEmpty() {
    return this == NONE
        || (payloadIsUtf8 == null
            && contentType == null
            && responseTopic == null
            && correlationData == null
            && userProperties.isEmpty());
  }
}
