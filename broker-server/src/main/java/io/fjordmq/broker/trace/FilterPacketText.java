package io.fjordmq.broker.trace;

import io.fjordmq.broker.protocol.FilterPacket;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.netty.handler.codec.mqtt.MqttMessageType;

/** Formats a SUBSCRIBE or UNSUBSCRIBE, whose filters the session decodes later. */
final class FilterPacketText {
  private static final int MAX_FILTERS = 20;

  private FilterPacketText() {}

  /**
   * @param packet is not consumed
   * @return a text that begins with a space
   */
  static String of(FilterPacket packet) {
    StringBuilder text = new StringBuilder();
    MqttMessageType type = packet.fixedHeader().messageType();
    TraceText out = new TraceText(text).word(type.name()).field("packet_id", packet.identifier());
    if (packet.subscriptionIdentifier() > 0) {
      out.field("subscription_identifier", packet.subscriptionIdentifier());
    }
    FilterPacket copy = packet.copy();
    try {
      for (int i = 0; copy.hasNext(); i++) {
        if (i == MAX_FILTERS) {
          out.word("(more filters)");
          break;
        }
        out.field("filter", copy.nextFilter());
        if (type == MqttMessageType.SUBSCRIBE) {
          options(out, copy.nextByte());
        }
      }
    } catch (ProtocolViolation e) {
      out.word("(malformed packet)");
    }
    return text.toString();
  }

  private static void options(TraceText out, int options) {
    out.field("qos", options & 3);
    if (options > 3) {
      out.field("no_local", options >> 2 & 1)
          .field("retain_as_published", options >> 3 & 1)
          .field("retain_handling", options >> 4 & 3);
    }
  }
}
