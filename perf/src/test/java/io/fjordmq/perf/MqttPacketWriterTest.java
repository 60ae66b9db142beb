package io.fjordmq.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Packets encoded by the load tool, decoded by Netty's MQTT codec. */
class MqttPacketWriterTest {
  private final EmbeddedChannel decoder = new EmbeddedChannel(new MqttDecoder(1 << 20));

  @AfterEach
  void assertFullyDecoded() {
    assertThat((Object) decoder.readInbound()).isNull();
    decoder.finishAndReleaseAll();
  }

  @Test
  void shouldWriteConnect() {
    ByteBuf out = Unpooled.buffer();
    MqttPacketWriter.writeConnect(
        out, new ConnectSettings("client", ConnectSettings.MQTT_3, false, 60));
    MqttConnectMessage connect = (MqttConnectMessage) decoded(out);
    assertThat(connect.payload().clientIdentifier()).isEqualTo("client");
    assertThat(connect.variableHeader().isCleanSession()).isFalse();
    assertThat(connect.variableHeader().keepAliveTimeSeconds()).isEqualTo(60);
  }

  @Test
  void shouldWriteMqtt5() {
    ByteBuf out = Unpooled.buffer();
    MqttPacketWriter.writeConnect(
        out, new ConnectSettings("client", ConnectSettings.MQTT_5, false, 60));
    MqttConnectMessage connect = (MqttConnectMessage) decoded(out);
    assertThat(connect.variableHeader().version()).isEqualTo(5);
    assertThat(connect.variableHeader().properties().getProperty(0x11).value()).isEqualTo(86_400);

    out = Unpooled.buffer();
    MqttPacketWriter.subscribe(out, ConnectSettings.MQTT_5, 7, List.of("a/+", "b"), 1);
    MqttSubscribeMessage subscribe = (MqttSubscribeMessage) decoded(out);
    assertThat(subscribe.payload().topicSubscriptions()).hasSize(2);

    out = Unpooled.buffer();
    MqttPacketWriter.publish(
        out, ConnectSettings.MQTT_5, "t".getBytes(StandardCharsets.UTF_8), 1, 9, 20);
    out.writeZero(20);
    MqttPublishMessage publish = (MqttPublishMessage) decoded(out);
    try {
      assertThat(publish.payload().readableBytes()).isEqualTo(20);
    } finally {
      publish.release();
    }
  }

  @Test
  void shouldWriteConnectWithCredentials() {
    ByteBuf out = Unpooled.buffer();
    var credentials = new ConnectSettings.Credentials("user", "secret");
    MqttPacketWriter.writeConnect(
        out, new ConnectSettings("client", ConnectSettings.MQTT_3, true, 0, credentials));
    MqttConnectMessage connect = (MqttConnectMessage) decoded(out);
    assertThat(connect.payload().clientIdentifier()).isEqualTo("client");
    assertThat(connect.payload().userName()).isEqualTo("user");
    assertThat(connect.payload().passwordInBytes()).asString().isEqualTo("secret");
    assertThat(connect.variableHeader().isCleanSession()).isTrue();
  }

  @Test
  void shouldWriteEnhancedAuthentication() {
    byte[] data = new byte[200]; // the properties need two bytes for their length
    data[199] = 7;
    ByteBuf out = Unpooled.buffer();
    MqttPacketWriter.writeConnect(
        out, new ConnectSettings("client", ConnectSettings.MQTT_5, false, 0), "method", data);
    MqttConnectMessage connect = (MqttConnectMessage) decoded(out);
    assertThat(connect.payload().clientIdentifier()).isEqualTo("client");
    assertThat(connect.variableHeader().hasUserName()).isFalse();
    assertAuthentication(connect.variableHeader().properties(), data);

    out = Unpooled.buffer();
    MqttPacketWriter.authenticate(out, "method", data);
    var auth = (MqttReasonCodeAndPropertiesVariableHeader) decoded(out).variableHeader();
    assertThat(auth.reasonCode()).isEqualTo((byte) 0x18);
    assertAuthentication(auth.properties(), data);
  }

  private static void assertAuthentication(MqttProperties properties, byte[] data) {
    assertThat(properties.getProperty(0x15).value()).isEqualTo("method");
    assertThat(properties.getProperty(0x16).value()).isEqualTo(data);
  }

  @Test
  void shouldWriteSubscribe() {
    ByteBuf out = Unpooled.buffer();
    MqttPacketWriter.subscribe(out, ConnectSettings.MQTT_3, 7, List.of("a/+"), 1);
    MqttSubscribeMessage subscribe = (MqttSubscribeMessage) decoded(out);
    assertThat(subscribe.variableHeader().messageId()).isEqualTo(7);
    assertThat(subscribe.payload().topicSubscriptions().get(0).topicFilter()).isEqualTo("a/+");
  }

  @Test
  void shouldWritePublishLongerThanOneLengthByte() {
    ByteBuf out = Unpooled.buffer();
    MqttPacketWriter.publish(out, "t".getBytes(StandardCharsets.UTF_8), 1, 65_535, 300);
    out.writeZero(300);
    MqttPublishMessage publish = (MqttPublishMessage) decoded(out);
    try {
      assertThat(publish.variableHeader().packetId()).isEqualTo(65_535);
      assertThat(publish.payload().readableBytes()).isEqualTo(300);
    } finally {
      publish.release();
    }
  }

  @Test
  void shouldWritePuback() {
    ByteBuf out = Unpooled.buffer();
    MqttPacketWriter.acknowledge(out, MqttPacketWriter.PUBACK, 40_000);
    MqttMessage puback = decoded(out);
    assertThat(puback.fixedHeader().messageType()).isEqualTo(MqttMessageType.PUBACK);
    assertThat(((MqttMessageIdVariableHeader) puback.variableHeader()).messageId())
        .isEqualTo(40_000);
  }

  private MqttMessage decoded(ByteBuf out) {
    assertThat(decoder.writeInbound(out)).isTrue();
    MqttMessage message = decoder.readInbound();
    assertThat(message.decoderResult().isSuccess()).isTrue();
    return message;
  }
}
