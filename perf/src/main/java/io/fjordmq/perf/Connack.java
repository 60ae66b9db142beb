package io.fjordmq.perf;

import io.netty.buffer.ByteBuf;

/**
 * A CONNACK.
 *
 * @param code return code or reason code; 0 if the broker accepts the client
 * @param receiveMaximum unacknowledged publishes that the broker accepts; 65,535 if not set
 * @param authenticationData last message of enhanced authentication; empty if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
record Connack(int code, int receiveMaximum, byte[] authenticationData) {
  private static final int DEFAULT_RECEIVE_MAXIMUM = 65_535;
  private static final int RECEIVE_MAXIMUM = 0x21;
  private static final int AUTHENTICATION_DATA = 0x16;
  private static final byte[] NONE = {};

  /**
   * @param body body of the packet, starting at the flags
   */
  static Connack read(ByteBuf body, int version) {
    body.skipBytes(1);
    int code = body.readUnsignedByte();
    if (version == ConnectSettings.MQTT_3 || !body.isReadable()) {
      return new Connack(code, DEFAULT_RECEIVE_MAXIMUM, NONE);
    }
    return ofProperties(code, body);
  }

  /**
   * Returns the authentication data of an AUTH.
   *
   * @param body body of the packet, starting at the reason code
   */
  static byte[] authenticationData(ByteBuf body) {
    return ofProperties(body.readUnsignedByte(), body).authenticationData;
  }

  private static Connack ofProperties(int code, ByteBuf body) {
    ByteBuf properties = body.readSlice(MqttPacketWriter.readLength(body));
    int receiveMaximum = DEFAULT_RECEIVE_MAXIMUM;
    byte[] authenticationData = NONE;
    while (properties.isReadable()) {
      int propertyId = properties.readUnsignedByte();
      switch (propertyId) {
        case RECEIVE_MAXIMUM -> receiveMaximum = properties.readUnsignedShort();
        case AUTHENTICATION_DATA -> {
          authenticationData = new byte[properties.readUnsignedShort()];
          properties.readBytes(authenticationData);
        }
        default -> skip(properties, propertyId);
      }
    }
    return new Connack(code, receiveMaximum, authenticationData);
  }

  /** Skips the value of a property, whose length depends on the property (MQTT 5.0 §2.2.2.2). */
  private static void skip(ByteBuf in, int propertyId) {
    switch (propertyId) {
      case 0x24, 0x25, 0x28, 0x29, 0x2A -> in.skipBytes(1);
      case 0x13, 0x22 -> in.skipBytes(2);
      case 0x11, 0x27 -> in.skipBytes(4);
      case 0x26 -> {
        in.skipBytes(in.readUnsignedShort());
        in.skipBytes(in.readUnsignedShort());
      }
      case 0x12, 0x15, 0x1A, 0x1C, 0x1F -> in.skipBytes(in.readUnsignedShort());
      default ->
          throw new IllegalStateException(
              "CONNACK has property 0x"
                  + Integer.toHexString(propertyId)
                  + ", which is not allowed");
    }
  }
}
