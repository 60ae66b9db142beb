package io.fjordmq.broker.protocol;

import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;

/**
 * A SUBSCRIBE or UNSUBSCRIBE whose filters are still bytes. Netty's decoder would decode all of
 * them at once, and 1 MiB contains up to 200,000. The session reads them one by one, in slices. Not
 * thread-safe.
 */
public final class FilterPacket extends MqttMessage {
  private final int subscriptionIdentifier;
  private final byte[] filters;
  private final CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder(); // reports errors
  private int position;

  /**
   * @param identifier packet identifier
   * @param subscriptionIdentifier of a SUBSCRIBE; 0 if it has none
   * @param filters the payload, not yet checked; owned by this packet
   */
  public FilterPacket(
      MqttFixedHeader header, int identifier, int subscriptionIdentifier, byte[] filters) {
    super(header, MqttMessageIdVariableHeader.from(identifier));
    this.subscriptionIdentifier = subscriptionIdentifier;
    this.filters = filters;
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
   * @throws ProtocolViolation if it is not well-formed text (MQTT 5.0 §1.5.4) or ends early
   */
  public String nextFilter() {
    int bytes = nextByte() << 8 | nextByte();
    if (bytes > filters.length - position) {
      throw malformed("packet ends early");
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
   * Reads the next byte: the subscription options after each filter of a SUBSCRIBE.
   *
   * @throws ProtocolViolation if the packet ends early
   */
  public int nextByte() {
    if (!hasNext()) {
      throw malformed("packet ends early");
    }
    return filters[position++] & 0xFF;
  }

  private static ProtocolViolation malformed(String detail) {
    return new ProtocolViolation(CloseReason.MALFORMED_PACKET, detail);
  }
}
