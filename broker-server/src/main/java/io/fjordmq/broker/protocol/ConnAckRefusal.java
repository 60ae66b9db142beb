package io.fjordmq.broker.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttProperties;

/**
 * Sends the CONNACK that refuses a client and closes the connection. The packet is encoded manually
 * because its layout depends on a protocol version that Netty's encoder may not know (MQTT 5.0
 * §3.1.2.2).
 */
public final class ConnAckRefusal {
  private static final int CONNACK = 0x20;

  /** So that all lengths take one byte. */
  private static final int MAX_REASON_STRING_BYTES = 120;

  private ConnAckRefusal() {}

  /**
   * Refuses the client and closes the connection.
   *
   * @param protocolLevel the protocol level of the CONNECT; if it is unknown (less than 1), no
   *     CONNACK is sent
   * @param maxPacketBytes the client's Maximum Packet Size (MQTT-3.1.2-24); if the CONNACK would
   *     exceed it, the Reason String or the whole packet is omitted
   */
  public static void send(
      Channel channel, int protocolLevel, int maxPacketBytes, CloseReason why, String detail) {
    CloseReason reason = toConnAckReason(why);
    if (protocolLevel >= 5 && isAllowedInConnAck(reason)) {
      ByteBuf packet = encodeMqtt5(channel, reason, detail);
      if (packet.readableBytes() > maxPacketBytes) {
        packet.clear().writeByte(CONNACK).writeByte(3).writeShort(reason.reasonCode()).writeByte(0);
      }
      if (packet.readableBytes() <= maxPacketBytes) {
        channel.writeAndFlush(packet, channel.voidPromise());
      } else {
        packet.release();
      }
    } else if (protocolLevel < 5 && protocolLevel > 0 && reason.returnCode() >= 0) {
      ByteBuf packet = channel.alloc().buffer(4);
      packet.writeByte(CONNACK).writeByte(2).writeByte(0).writeByte(reason.returnCode());
      channel.writeAndFlush(packet, channel.voidPromise());
    }
    LingeringClose.begin(channel);
  }

  /** Replaces reasons whose codes are only allowed in a DISCONNECT. */
  private static CloseReason toConnAckReason(CloseReason reason) {
    return reason == CloseReason.SERVER_SHUTTING_DOWN || reason == CloseReason.NODE_DOWN
        ? CloseReason.SERVER_UNAVAILABLE
        : reason;
  }

  private static ByteBuf encodeMqtt5(Channel channel, CloseReason reason, String detail) {
    String text = truncated(detail);
    int textBytes = ByteBufUtil.utf8Bytes(text);
    int properties = 3 + textBytes;
    ByteBuf packet = channel.alloc().buffer(8 + properties);
    packet.writeByte(CONNACK).writeByte(3 + properties);
    packet.writeByte(0).writeByte(reason.reasonCode());
    packet.writeByte(properties).writeByte(MqttProperties.REASON_STRING).writeShort(textBytes);
    ByteBufUtil.writeUtf8(packet, text);
    return packet;
  }

  private static String truncated(String detail) {
    String text = detail.substring(0, Math.min(detail.length(), MAX_REASON_STRING_BYTES));
    while (ByteBufUtil.utf8Bytes(text) > MAX_REASON_STRING_BYTES) {
      text = text.substring(0, text.length() - 1);
    }
    return text;
  }

  /** Whether MQTT 5.0 §3.2.2.2 allows the reason code in a CONNACK. */
  private static boolean isAllowedInConnAck(CloseReason reason) {
    return switch (reason) {
      case UNSPECIFIED_ERROR,
          MALFORMED_PACKET,
          PROTOCOL_ERROR,
          INTERNAL_ERROR,
          UNSUPPORTED_PROTOCOL_VERSION,
          CLIENT_IDENTIFIER_NOT_VALID,
          BAD_USER_NAME_OR_PASSWORD,
          NOT_AUTHORIZED,
          SERVER_UNAVAILABLE,
          SERVER_BUSY,
          BANNED,
          BAD_AUTHENTICATION_METHOD,
          TOPIC_NAME_INVALID,
          PACKET_TOO_LARGE,
          QUOTA_EXCEEDED,
          USE_ANOTHER_SERVER,
          CONNECTION_RATE_EXCEEDED ->
          true;
      default -> false;
    };
  }
}
