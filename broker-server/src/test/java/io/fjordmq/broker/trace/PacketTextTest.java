package io.fjordmq.broker.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.protocol.FilterPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text of packets. */
class PacketTextTest {
  private static ByteBuf bytes(String hex) {
    return Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex.replace(" ", "")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          4 | 20 02 01 00                         | CONNACK session_present=1 reason_code=0x00
          5 | 20 06 00 00 03 21 00 0a             | CONNACK session_present=0 reason_code=0x00 receive_maximum=10
          4 | 30 06 00 01 61 31 32 33             | PUBLISH qos=0 retain=0 dup=0 topic=a payload_bytes=3 payload="123"
          4 | 3d 06 00 01 61 00 07 31             | PUBLISH packet_id=7 qos=2 retain=1 dup=1 topic=a payload_bytes=1 payload="1"
          5 | 30 09 00 01 61 05 02 00 00 00 3c    | PUBLISH qos=0 retain=0 dup=0 topic=a message_expiry_interval=60 payload_bytes=0
          5 | 30 0c 00 01 61 07 26 00 01 6b 00 01 76 31 | PUBLISH qos=0 retain=0 dup=0 topic=a user_property=k value=v payload_bytes=1 payload="1"
          4 | 40 02 00 07                         | PUBACK packet_id=7
          5 | 50 03 00 07 97                      | PUBREC packet_id=7 reason_code=0x97
          4 | 62 02 00 07                         | PUBREL packet_id=7
          4 | 70 02 00 07                         | PUBCOMP packet_id=7
          4 | 90 04 00 07 01 80                   | SUBACK packet_id=7 granted=0x01 granted=0x80
          5 | b0 04 00 07 00 11                   | UNSUBACK packet_id=7 reason_code=0x11
          4 | c0 00                               | PINGREQ
          4 | d0 00                               | PINGRESP
          5 | e0 05 87 03 1f 00 00                | DISCONNECT reason_code=0x87 reason_string=""
          5 | f0 0a 18 08 15 00 01 6d 16 00 01 73 | AUTH reason_code=0x18 authentication_method=m authentication_data_bytes=1
          4 | 30 06 00 09 61 31 32 33             | PUBLISH (malformed packet)
          5 | 40 05 00 07 00 01 7f                | PUBACK packet_id=7 reason_code=0x00 (malformed packet)
          4 | 00 00                               | RESERVED
          """)
  void shouldShowPacket(int level, String hex, String expected) {
    ByteBuf bytes = bytes(hex);
    assertThat(PacketText.of(bytes, 0, level, PayloadEncoding.TEXT, 100)).isEqualTo(" " + expected);
    assertThat(bytes.readerIndex()).isZero();
    assertThat(PacketText.packetBytes(bytes, 0)).isEqualTo(bytes.readableBytes());
  }

  @Test
  void shouldNeverThrow() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] noise = new byte[2 + random.nextInt(30)];
      random.nextBytes(noise);
      noise[1] = (byte) (noise.length - 2);
      ByteBuf bytes = Unpooled.wrappedBuffer(noise);
      for (PayloadEncoding encoding : PayloadEncoding.values()) {
        assertThat(PacketText.of(bytes, 0, 4 + random.nextInt(2), encoding, 4)).startsWith(" ");
      }
    }
  }

  @Test
  void shouldShowTheBeginningOfAPayloadThatIsNotThereYet() {
    ByteBuf head = bytes("30 e8 07 00 01 61 31 32");
    assertThat(PacketText.packetBytes(head, 0)).isEqualTo(1_003);
    assertThat(PacketText.of(head, 0, 4, PayloadEncoding.TEXT, 100))
        .isEqualTo(
            " PUBLISH qos=0 retain=0 dup=0 topic=a payload_bytes=997 payload=\"12\" truncated");
  }

  @Test
  void shouldHideWhatBelongsToThePayload() {
    ByteBuf bytes = bytes("30 11 00 01 61 0c 09 00 02 73 74 26 00 01 6b 00 01 76 31");
    assertThat(PacketText.of(bytes, 0, 5, PayloadEncoding.HIDDEN, 100))
        .isEqualTo(
            " PUBLISH qos=0 retain=0 dup=0 topic=a correlation_data_bytes=2 user_property=k"
                + " payload_bytes=1");
    assertThat(PacketText.of(bytes, 0, 5, PayloadEncoding.HEX, 100))
        .contains("correlation_data=0x7374", "value=v", "payload=0x31");
  }

  @Test
  void shouldShowFiltersWithoutConsumingThem() {
    byte[] filters = HexFormat.of().parseHex("0003612f2b" + "2d" + "000162" + "01");
    FilterPacket packet =
        new FilterPacket(
            new MqttFixedHeader(MqttMessageType.SUBSCRIBE, false, MqttQoS.AT_LEAST_ONCE, false, 0),
            7,
            3,
            filters);
    assertThat(FilterPacketText.of(packet))
        .isEqualTo(
            " SUBSCRIBE packet_id=7 subscription_identifier=3 filter=a/+ qos=1 no_local=1"
                + " retain_as_published=1 retain_handling=2 filter=b qos=1");
    assertThat(packet.nextFilter()).isEqualTo("a/+");
  }

  @Test
  void shouldNeverShowCredentials() {
    MqttProperties properties = new MqttProperties();
    properties.add(new MqttProperties.IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, -1));
    properties.add(new MqttProperties.StringProperty(MqttProperties.AUTHENTICATION_METHOD, "m"));
    properties.add(
        new MqttProperties.BinaryProperty(
            MqttProperties.AUTHENTICATION_DATA, "swordfish".getBytes(StandardCharsets.UTF_8)));
    properties.add(new MqttProperties.UserProperty("token", "swordfish"));
    MqttConnectMessage connect =
        MqttMessageBuilders.connect()
            .protocolVersion(MqttVersion.MQTT_5)
            .clientId("c")
            .cleanSession(true)
            .keepAlive(60)
            .properties(properties)
            .username("u" + "v".repeat(200) + "swordfish")
            .password("swordfish".getBytes(StandardCharsets.UTF_8))
            .willFlag(true)
            .willTopic("w")
            .willMessage("gone".getBytes(StandardCharsets.UTF_8))
            .willQoS(MqttQoS.AT_LEAST_ONCE)
            .build();
    for (PayloadEncoding encoding : PayloadEncoding.values()) {
      String text = ConnectText.of(connect, encoding, 100);
      assertThat(text)
          .startsWith(" CONNECT version=5 clean_start=1 keep_alive=60 user_name=\"uvv")
          .contains(
              "password=(hidden)",
              "session_expiry_interval=4294967295",
              "authentication_method=m",
              "authentication_data_bytes=9",
              "user_property=token",
              "will_topic=w will_qos=1 will_retain=0",
              "payload_bytes=4")
          .doesNotContain("swordfish", "73776f7264");
    }
    assertThat(ConnectText.of(connect, PayloadEncoding.TEXT, 100)).contains("payload=\"gone\"");
    assertThat(ConnectText.of(connect, PayloadEncoding.HIDDEN, 100)).doesNotContain("gone");
  }
}
