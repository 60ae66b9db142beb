package io.fjordmq.perf;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes the packets that a load client sends (MQTT 3.1.1 and 5.0, §2 and §3). Writes directly into
 * a buffer, so that the load tool does not become the bottleneck.
 */
public final class MqttPacketWriter {
  public static final int CONNACK = 2;
  public static final int PUBLISH = 3;
  static final int PUBACK = 4;
  static final int PUBREC = 5;
  static final int PUBREL = 6;
  static final int PUBCOMP = 7;
  public static final int SUBACK = 9;
  static final int PINGRESP = 13;
  static final int DISCONNECT = 14;
  static final int AUTH = 15;

  private static final byte[] NONE = {};

  /** The properties field of an MQTT 5 packet without properties. */
  private static final byte[] NO_PROPERTIES = {0};

  private static final int SESSION_EXPIRY_INTERVAL = 0x11;
  private static final int AUTHENTICATION_METHOD = 0x15;
  private static final int AUTHENTICATION_DATA = 0x16;

  /** Reason code of an AUTH. */
  private static final int CONTINUE_AUTHENTICATION = 0x18;

  /** Flags of a CONNECT with user name and password. */
  private static final int CREDENTIALS = 0xC0;

  /**
   * Session Expiry Interval of persistent MQTT 5 sessions, which limits how long sessions remain on
   * the broker after a run.
   */
  private static final int EXPIRY_SECONDS = 86_400;

  private MqttPacketWriter() {}

  /** Writes a CONNECT with user name and password, or none of them. */
  public static void writeConnect(ByteBuf out, ConnectSettings connectSettings) {
    ConnectSettings.Credentials user = connectSettings.credentials();
    String clientId = connectSettings.clientId();
    if (user == null) {
      writeConnect(out, connectSettings, 0, NONE, List.of(clientId));
    } else {
      writeConnect(
          out,
          connectSettings,
          CREDENTIALS,
          NONE,
          List.of(clientId, user.userName(), user.password()));
    }
  }

  /**
   * Writes a CONNECT of MQTT 5 that begins enhanced authentication.
   *
   * @param data authentication data
   */
  static void writeConnect(
      ByteBuf out, ConnectSettings connectSettings, String method, byte[] data) {
    List<String> payload = List.of(connectSettings.clientId());
    writeConnect(out, connectSettings, 0, authentication(method, data), payload);
  }

  private static void writeConnect(
      ByteBuf out,
      ConnectSettings connectSettings,
      int flags,
      byte[] authentication,
      List<String> payload) {
    List<byte[]> texts =
        payload.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
    int expiry = connectSettings.clean() ? 0 : 5;
    int properties = expiry + authentication.length;
    int field = connectSettings.isMqtt5() ? lengthBytes(properties) + properties : 0;
    out.writeByte(0x10);
    writeLength(out, 10 + field + texts.stream().mapToInt(t -> 2 + t.length).sum());
    out.writeShort(4).writeBytes(new byte[] {'M', 'Q', 'T', 'T'});
    out.writeByte(connectSettings.version()).writeByte(flags | (connectSettings.clean() ? 2 : 0));
    out.writeShort(connectSettings.keepAliveSeconds());
    if (connectSettings.isMqtt5()) {
      writeLength(out, properties);
      if (expiry > 0) {
        out.writeByte(SESSION_EXPIRY_INTERVAL).writeInt(EXPIRY_SECONDS);
      }
      out.writeBytes(authentication);
    }
    texts.forEach(text -> out.writeShort(text.length).writeBytes(text));
  }

  /** Writes an AUTH that continues enhanced authentication. */
  static void authenticate(ByteBuf out, String method, byte[] data) {
    byte[] properties = authentication(method, data);
    out.writeByte(AUTH << 4);
    writeLength(out, 1 + lengthBytes(properties.length) + properties.length);
    out.writeByte(CONTINUE_AUTHENTICATION);
    writeLength(out, properties.length);
    out.writeBytes(properties);
  }

  private static byte[] authentication(String method, byte[] data) {
    byte[] name = method.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(6 + name.length + data.length);
    out.put((byte) AUTHENTICATION_METHOD).putShort((short) name.length).put(name);
    out.put((byte) AUTHENTICATION_DATA).putShort((short) data.length).put(data);
    return out.array();
  }

  /** Returns the number of bytes of a variable byte integer. */
  private static int lengthBytes(int length) {
    return length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : length < 1 << 21 ? 3 : 4;
  }

  /** Writes a SUBSCRIBE; with MQTT 5, without properties. */
  public static void subscribe(
      ByteBuf out, int version, int packetIdentifier, List<String> filters, int qos) {
    boolean mqtt5 = version == ConnectSettings.MQTT_5;
    subscribe(out, packetIdentifier, mqtt5 ? NO_PROPERTIES : NONE, filters, qos);
  }

  /**
   * Writes a SUBSCRIBE with properties.
   *
   * @param properties the encoded properties, preceded by their length; empty for MQTT 3.1.1
   */
  public static void subscribe(
      ByteBuf out, int packetIdentifier, byte[] properties, List<String> filters, int qos) {
    List<byte[]> texts =
        filters.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
    out.writeByte(0x82);
    writeLength(out, 2 + properties.length + texts.stream().mapToInt(t -> 3 + t.length).sum());
    out.writeShort(packetIdentifier).writeBytes(properties);
    texts.forEach(text -> out.writeShort(text.length).writeBytes(text).writeByte(qos));
  }

  /**
   * Writes the header of an MQTT 3.1.1 PUBLISH; the caller appends {@code payloadBytes} bytes of
   * payload.
   */
  public static void publish(
      ByteBuf out, byte[] topic, int qos, int packetIdentifier, int payloadBytes) {
    publish(out, ConnectSettings.MQTT_3, topic, qos, packetIdentifier, payloadBytes);
  }

  /** Writes the header of a PUBLISH of either version; with MQTT 5, without properties. */
  public static void publish(
      ByteBuf out, int version, byte[] topic, int qos, int packetIdentifier, int payloadBytes) {
    boolean mqtt5 = version == ConnectSettings.MQTT_5;
    publish(out, topic, qos, packetIdentifier, mqtt5 ? NO_PROPERTIES : NONE, payloadBytes);
  }

  /**
   * Writes the header of a PUBLISH with properties.
   *
   * @param properties the encoded properties, preceded by their length; empty for MQTT 3.1.1
   */
  public static void publish(
      ByteBuf out,
      byte[] topic,
      int qos,
      int packetIdentifier,
      byte[] properties,
      int payloadBytes) {
    out.writeByte(0x30 | (qos << 1));
    int identifierBytes = qos > 0 ? 2 : 0;
    writeLength(out, 2 + topic.length + identifierBytes + properties.length + payloadBytes);
    out.writeShort(topic.length).writeBytes(topic);
    if (qos > 0) {
      out.writeShort(packetIdentifier);
    }
    out.writeBytes(properties);
  }

  /**
   * Writes a PUBACK, PUBREC, PUBREL or PUBCOMP without a reason code, which means success.
   *
   * @param type the packet type
   */
  static void acknowledge(ByteBuf out, int type, int packetIdentifier) {
    int flags = type == PUBREL ? 2 : 0;
    out.writeInt((type << 4 | flags) << 24 | 2 << 16 | packetIdentifier);
  }

  /** Writes a PINGREQ. */
  public static void ping(ByteBuf out) {
    out.writeShort(0xC000);
  }

  static void disconnect(ByteBuf out) {
    out.writeShort(0xE000);
  }

  /** Writes a variable byte integer of one to four bytes. */
  public static void writeLength(ByteBuf out, int length) {
    int remaining = length;
    do {
      int low = remaining & 0x7F;
      remaining >>>= 7;
      out.writeByte(remaining > 0 ? low | 0x80 : low);
    } while (remaining > 0);
  }

  /**
   * Reads a variable byte integer of one to four bytes, such as the length of MQTT 5 properties.
   */
  static int readLength(ByteBuf in) {
    int length = 0;
    for (int shift = 0; shift < 28; shift += 7) {
      int digit = in.readUnsignedByte();
      length |= (digit & 0x7F) << shift;
      if (digit < 0x80) {
        break;
      }
    }
    return length;
  }
}
