package io.fjordmq.perf.inprocess;

import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.MqttPacketWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Creates the packets of in-process clients (MQTT 3.1.1, §3), each in a buffer that the caller
 * owns.
 */
public final class Packets {
  /** Initial buffer capacity for everything but the payload. */
  private static final int HEAD_BYTES = 64;

  private Packets() {}

  /** Returns an MQTT 3.1.1 CONNECT without keep-alive. */
  public static ByteBuf connect(String clientId, boolean clean) {
    ByteBuf packet = ByteBufAllocator.DEFAULT.buffer(HEAD_BYTES);
    MqttPacketWriter.writeConnect(packet, ConnectSettings.simple(clientId, clean));
    return packet;
  }

  /** Returns an MQTT 3.1.1 SUBSCRIBE with QoS 0. */
  public static ByteBuf subscribe(String filter) {
    ByteBuf packet = ByteBufAllocator.DEFAULT.buffer(HEAD_BYTES);
    MqttPacketWriter.subscribe(packet, ConnectSettings.MQTT_3, 1, List.of(filter), 0);
    return packet;
  }

  /**
   * Returns an MQTT 3.1.1 PUBLISH.
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
