package io.fjordmq.broker.trace;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.UserProperty;
import java.util.Arrays;

/** Formats a message at any step of its delivery. */
final class MessageText {
  private MessageText() {}

  static void write(TraceText out, Message message, PayloadEncoding encoding, int maxPayloadBytes) {
    out.field("topic", message.topic().name());
    MessageProperties properties = message.properties();
    if (properties.contentType() != null) {
      out.field("content_type", properties.contentType());
    }
    if (properties.responseTopic() != null) {
      out.field("response_topic", properties.responseTopic());
    }
    byte[] correlation = properties.correlationData();
    if (correlation != null) {
      PropertyName.bytes(
          out,
          "correlation_data",
          Arrays.copyOf(correlation, Math.min(correlation.length, maxPayloadBytes)),
          correlation.length,
          encoding);
    }
    for (UserProperty property : properties.userProperties()) {
      PropertyName.pair(out, property.name(), property.value(), encoding);
    }
    byte[] payload = message.payload();
    out.payload(payload, payload.length, encoding, maxPayloadBytes);
  }
}
