package io.fjordmq.perf.inprocess;

import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.MqttPacketWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Packets of in-process clients (MQTT 3.1.1, §3), each in a buffer that the caller owns. */
public final class Packets {
  /** More than the bytes of a packet without its payload and user properties. */
  private static final int HEAD_BYTES = 64;

  private Packets() {}

  /** MQTT 3.1.1, no keep-alive. */
  public static ByteBuf connect(String clientId, boolean clean) {
    ByteBuf packet = ByteBufAllocator.DEFAULT.buffer(HEAD_BYTES);
    MqttPacketWriter.writeConnect(packet, ConnectSettings.simple(clientId, clean));
    return packet;
  }

  /** MQTT 3.1.1, QoS 0. */
  public static ByteBuf subscribe(String filter) {
    ByteBuf packet = ByteBufAllocator.DEFAULT.buffer(HEAD_BYTES);
    MqttPacketWriter.subscribe(packet, ConnectSettings.MQTT_3, 1, List.of(filter), 0);
    return packet;
  }

  /**
   * MQTT 3.1.1.
   *
   * @param packetIdentifier used with QoS 1 only
   */
  public static ByteBuf publish(String topic, int qos, int packetIdentifier, byte[] payload) {
    byte[] text = topic.getBytes(StandardCharsets.UTF_8);
    ByteBuf packet = ByteBufAllocator.DEFAULT.buffer(HEAD_BYTES + payload.length);
    MqttPacketWriter.publish(packet, text, qos, packetIdentifier, payload.length);
    return packet.writeBytes(payload);
  }
}
