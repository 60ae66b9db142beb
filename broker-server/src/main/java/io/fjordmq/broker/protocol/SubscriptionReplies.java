package io.fjordmq.broker.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Writes SUBACK and UNSUBACK packets. Netty's encoder would create several objects for each code
 * and encode all codes in one uninterrupted step.
 */
public final class SubscriptionReplies {
  private static final int SUBACK = 0x90;
  private static final int UNSUBACK = 0xB0;
  private static final byte[] NO_CODES = {};

  private SubscriptionReplies() {}

  /**
   * @param codes one code per filter in the SUBSCRIBE
   */
  public static void writeSubAck(
      PacketSink out, Dialect dialect, int packetIdentifier, byte[] codes) {
    write(out, SUBACK, dialect.reportsOutcome(), packetIdentifier, codes);
  }

  /**
   * @param codes one code per filter in the UNSUBSCRIBE; ignored in MQTT 3, whose UNSUBACK has no
   *     codes
   */
  public static void writeUnsubAck(
      PacketSink out, Dialect dialect, int packetIdentifier, byte[] codes) {
    boolean mqtt5 = dialect.reportsOutcome();
    write(out, UNSUBACK, mqtt5, packetIdentifier, mqtt5 ? codes : NO_CODES);
  }

  private static void write(
      PacketSink out, int firstByte, boolean mqtt5, int packetIdentifier, byte[] codes) {
    int remaining = (mqtt5 ? 3 : 2) + codes.length;
    ByteBuf packet = out.beginPacket(PacketFramer.packetBytes(remaining)).writeByte(firstByte);
    PublishEncoder.writeInteger(packet, remaining);
    packet.writeShort(packetIdentifier);
    if (mqtt5) {
      packet.writeByte(0); // length of the properties
    }
    packet.writeBytes(codes);
  }
}
