package io.fjordmq.broker.protocol;

import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;

/**
 * A SUBSCRIBE or UNSUBSCRIBE whose filters are not decoded yet. Netty's decoder would decode all
 * filters at once, and a packet of 1 MiB can contain up to 200,000 of them. Instead, the session
 * decodes them one by one, in slices. Not thread-safe.
 */
public final class FilterPacket extends MqttMessage {
  private final int subscriptionIdentifier;
  private final byte[] filters;
  private final CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder(); // reports errors
  private int position;

  /**
   * @param identifier the packet identifier
   * @param subscriptionIdentifier the subscription identifier of a SUBSCRIBE; 0 if it has none
   * @param filters the unchecked payload, which this packet then owns
   */
  public FilterPacket(
      MqttFixedHeader header, int identifier, int subscriptionIdentifier, byte[] filters) {
    super(header, MqttMessageIdVariableHeader.from(identifier));
    this.subscriptionIdentifier = subscriptionIdentifier;
    this.filters = filters;
  }

  /** Returns the packet with none of its filters read. */
  public FilterPacket copy() {
    return new FilterPacket(fixedHeader(), identifier(), subscriptionIdentifier, filters);
  }

  public int identifier() {
    return ((MqttMessageIdVariableHeader) variableHeader()).messageId();
  }

  public int subscriptionIdentifier() {
    return subscriptionIdentifier;
  }

  /** Whether another filter follows. */
  public boolean hasNext() {
    return position < filters.length;
  }

  /**
   * Reads the next filter.
   *
   * @throws ProtocolViolation if the filter is not well-formed text (MQTT 5.0 §1.5.4) or the packet
   *     ends prematurely
   */
  public String nextFilter() {
    int bytes = nextByte() << 8 | nextByte();
    if (bytes > filters.length - position) {
      throw malformed("packet ends prematurely");
    }
    String text;
    try {
      text = utf8.decode(ByteBuffer.wrap(filters, position, bytes)).toString();
    } catch (CharacterCodingException e) {
      throw malformed("topic filter is not valid UTF-8");
    }
    if (text.indexOf('\0') >= 0) {
      throw malformed("topic filter contains U+0000");
    }
    position += bytes;
    return text;
  }

  /**
   * Reads the next byte, which contains the subscription options after a filter in a SUBSCRIBE.
   *
   * @throws ProtocolViolation if the packet ends prematurely
   */
  public int nextByte() {
    if (!hasNext()) {
      throw malformed("packet ends prematurely");
    }
    return filters[position++] & 0xFF;
  }

  private static ProtocolViolation malformed(String detail) {
    return new ProtocolViolation(CloseReason.MALFORMED_PACKET, detail);
  }
}
