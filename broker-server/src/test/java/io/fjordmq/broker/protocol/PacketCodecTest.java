package io.fjordmq.broker.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import org.junit.jupiter.api.Test;

class PacketCodecTest {
  private final PacketCodec codec = new PacketCodec();

  @Test
  void shouldDecodeEachPacketWithTheLevelOfItsClient() {
    codec.decode(bytes("100e00044d5154540502003c00000161"), 0);
    for (int i = 0; i < 2; i++) {
      assertThat(payload("30050001746869", 4)).isEqualTo("6869");
      assertThat(payload("3006000174006869", 5)).isEqualTo("6869");
      assertThat(payload("30050001746869", 3)).isEqualTo("6869");
    }
  }

  @Test
  void shouldDecodePacketsOfOthersAfterAMalformedOne() {
    MqttMessage malformed = codec.decode(bytes("30050001000068"), 5); // U+0000 in the topic
    assertThat(malformed.decoderResult().isFailure()).isTrue();
    assertThat(payload("3006000174006869", 5)).isEqualTo("6869");
  }

  @Test
  void shouldEncodePropertiesOnlyForMqtt5() {
    MqttMessage connAck =
        MqttMessageBuilders.connAck()
            .returnCode(MqttConnectReturnCode.CONNECTION_ACCEPTED)
            .sessionPresent(true)
            .build();
    assertThat(encoded(connAck, 4)).isEqualTo("20020100");
    assertThat(encoded(connAck, 5)).isEqualTo("2003010000");
  }

  private String encoded(MqttMessage message, int level) {
    ByteBuf packet = codec.encode(message, level);
    try {
      return ByteBufUtil.hexDump(packet);
    } finally {
      packet.release();
    }
  }

  private String payload(String packet, int level) {
    MqttPublishMessage message = (MqttPublishMessage) codec.decode(bytes(packet), level);
    try {
      return ByteBufUtil.hexDump(message.payload());
    } finally {
      message.release();
    }
  }

  private static ByteBuf bytes(String hex) {
    return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
  }
}
