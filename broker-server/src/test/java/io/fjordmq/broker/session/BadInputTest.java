package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every kind of invalid input is answered and counted, and affects only its client. Packets are
 * written as bytes, without a codec.
 */
@ExtendWith(LeakDetector.class)
class BadInputTest {
  private final World world = new World();

  @AfterEach
  void closeWorld() {
    world.close();
    assertThat(world.sessions.size()).isZero();
    assertThat(world.registry.size()).isZero();
  }

  private void assertRefused(TestClient client, CloseReason reason) {
    assertThat(client.isOpen()).isFalse();
    assertThat(world.observer.refused).containsOnly(Map.entry(reason, 1));
    assertThat(world.observer.connected).hasValue(0);
  }

  private void assertEnded(TestClient client, CloseReason reason) {
    assertThat(client.isOpen()).isFalse();
    assertThat(world.observer.disconnected).containsOnly(Map.entry(reason, 1));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "PINGREQ,            c000",
    "PUBLISH,            3003 0001 61",
    "SUBSCRIBE,          8206 0001 0001 61 00",
    "DISCONNECT,         e000",
    "AUTH,               f000",
    "an unknown type,    0000",
    "HTTP,               47455420 2f204854 54502f31",
    "nothing known,      ffff"
  })
  void shouldCloseTheConnectionWhenTheFirstPacketIsNotConnect(String what, String hex) {
    TestClient client = world.open().sendHex(hex);
    client.expect();
    assertThat(client.isOpen()).as(what).isFalse();
    assertThat(world.observer.refused)
        .containsOnly(Map.entry(CloseReason.FIRST_PACKET_NOT_CONNECT, 1));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "MQTT 3.1.2,           100d 0004 4d515454 02 02 003c 0001 61,   20020001",
    "MQIsdp level 4,       100f 0006 4d5149736470 04 02 003c 0001 61, 20020001",
    "MQTT level 3,         100d 0004 4d515454 03 02 003c 0001 61,   20020001",
    "another name,         100d 0004 41424344 04 02 003c 0001 61,   20020001"
  })
  void shouldRefuseUnsupportedVersionsInTheMqtt3Format(String what, String hex, String answer) {
    TestClient client = world.open().sendHex(hex);
    assertThat(client.lastHex()).as(what).isEqualTo(answer);
    assertRefused(client, CloseReason.UNSUPPORTED_PROTOCOL_VERSION);
  }

  @Test
  void shouldRefuseHigherVersionsInTheMqtt5Format() {
    TestClient client = world.open().sendHex("100e 0004 4d515454 06 02 003c 00 0001 61");
    assertThat(client.lastHex()).startsWith("20").contains("0084");
    assertRefused(client, CloseReason.UNSUPPORTED_PROTOCOL_VERSION);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "reserved flag,                  100d 0004 4d515454 04 03 003c 0001 61",
    "will QoS without will,          100d 0004 4d515454 04 0a 003c 0001 61",
    "will retain without will,       100d 0004 4d515454 04 22 003c 0001 61",
    "will QoS 3,                     1015 0004 4d515454 04 1e 003c 0001 61 0001 62 0003 616263",
    "password without user name,     1010 0004 4d515454 04 42 003c 0001 61 0001 62",
    "client id beyond the packet,    100d 0004 4d515454 04 02 003c 0009 61",
    "bytes after the last field,     100e 0004 4d515454 04 02 003c 0001 61 62",
    "client id not UTF-8,            100d 0004 4d515454 04 02 003c 0001 ff",
    "client id with U+0000,          100d 0004 4d515454 04 02 003c 0001 00",
    "client id with a surrogate,     100f 0004 4d515454 04 02 003c 0003 eda080",
    "flags of the fixed header,      110d 0004 4d515454 04 02 003c 0001 61",
    "packet that ends in the flags,  1007 0004 4d515454 04",
    "five length bytes,              10 8080808001 00",
    "property twice,                 1018 0004 4d515454 05 02 003c 0a 11 00000001 11 00000001 0001 61",
    "property of another packet,     1011 0004 4d515454 05 02 003c 03 23 0001 0001 61",
    "unknown property,               1010 0004 4d515454 05 02 003c 02 7f 00 0001 61",
    "property that is not 0 or 1,    1010 0004 4d515454 05 02 003c 02 17 02 0001 61",
    "receive maximum 0,              1011 0004 4d515454 05 02 003c 03 21 0000 0001 61",
    "maximum packet size 0,          1013 0004 4d515454 05 02 003c 05 27 00000000 0001 61",
    "authentication data alone,      1012 0004 4d515454 05 02 003c 04 16 0001 61 0001 61"
  })
  void shouldRejectAnInvalidConnect(String what, String hex) {
    TestClient client = world.open().sendHex(hex);
    assertThat(client.isOpen()).as(what).isFalse();
    assertThat(world.observer.refused).as(what).hasSize(1);
    assertThat(world.observer.refused.keySet())
        .isSubsetOf(CloseReason.MALFORMED_PACKET, CloseReason.PROTOCOL_ERROR);
    assertThat(world.observer.connected).hasValue(0);
  }

  @Test
  void shouldSendTheReasonOfAMalformedConnectToMqtt5() {
    TestClient client =
        world
            .open()
            .decodeMqtt5()
            .sendHex("1018 0004 4d515454 05 02 003c 0a 11 00000001 11 00000001 0001 61");
    client.expect("CONNACK 82");
    assertRefused(client, CloseReason.PROTOCOL_ERROR);
  }

  @Test
  void shouldRefuseEnhancedAuthenticationWithoutAnAuthenticator() {
    TestClient client =
        world.open().decodeMqtt5().sendHex("1012 0004 4d515454 05 02 003c 04 15 0001 78 0001 61");
    client.expect("CONNACK 8c");
    assertRefused(client, CloseReason.BAD_AUTHENTICATION_METHOD);
  }

  @Test
  void shouldRefuseAnEmptyClientIdWithoutCleanSession() {
    TestClient client = world.open().sendHex("100c 0004 4d515454 04 00 003c 0000");
    assertThat(client.lastHex()).isEqualTo("20020002");
    assertRefused(client, CloseReason.CLIENT_IDENTIFIER_NOT_VALID);
  }

  @Test
  void shouldRefuseAnEmptyClientIdOfMqtt31() {
    TestClient client = world.open().sendHex("100e 0006 4d5149736470 03 02 003c 0000");
    assertThat(client.lastHex()).isEqualTo("20020002");
    assertRefused(client, CloseReason.CLIENT_IDENTIFIER_NOT_VALID);
  }

  @Test
  void shouldRefuseAClientIdLongerThanAllowed() {
    String tooLong = "x".repeat(world.settings.maxClientIdBytes() + 1);
    world.open().connect3(tooLong, true).expect("CONNACK 2");
    world.open().connect5(tooLong, true, 0).expect("CONNACK 85");
    assertThat(world.observer.refused).containsEntry(CloseReason.CLIENT_IDENTIFIER_NOT_VALID, 2);
  }

  @Test
  void shouldCloseAConnectionWhoseConnectArrivesTooSlowly() {
    TestClient client = world.open().sendHex("100d 0004 4d51");
    client.advance(9);
    assertThat(client.isOpen()).isTrue();
    client.sendHex("5454").advance(3);
    assertRefused(client, CloseReason.CONNECT_TIMEOUT);
  }

  @Test
  void shouldCountAConnectionThatClosesWithoutSendingAnything() {
    world.open().cut();
    assertThat(world.observer.refused).containsEntry(CloseReason.CONNECTION_LOST, 1);
  }

  @Test
  void shouldCloseTheConnectionOnASecondConnect() {
    TestClient client = world.open().connect5("c", true, 0);
    client.expect("CONNACK 0");
    client.connect5("c", true, 0).expect("DISCONNECT 82");
    assertEnded(client, CloseReason.PROTOCOL_ERROR);
  }

  @Test
  void shouldRejectATooLargePacketBeforeItsBodyArrives() {
    TestClient client = world.open().connect5("c", true, 0);
    client.expect("CONNACK 0");
    // A PUBLISH of 2 MiB; only its fixed header has arrived.
    client.sendHex("30 80808001").expect("DISCONNECT 95");
    assertEnded(client, CloseReason.PACKET_TOO_LARGE);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "PUBLISH with QoS 3,                 3605 0001 61 0001 00,       81",
    "PUBLISH with packet identifier 0,   3206 0001 61 0000 00,       81",
    "PUBLISH whose topic is not UTF-8,   3004 0001 ff 00,            81",
    "PUBLISH whose topic has U+0000,     3004 0001 00 00,            81",
    "PUBLISH to a wildcard,              3004 0001 2b 00,            90",
    "PUBLISH without topic and alias,    3003 0000 00,               82",
    "PUBLISH with unknown alias,         3006 0000 03 23 0001,       82",
    "PUBLISH with alias 0,               3007 0001 61 03 23 0000,    94",
    "PUBLISH with alias beyond maximum,  3007 0001 61 03 23 ffff,    94",
    "PUBLISH with subscription id,       3006 0001 61 02 0b 01,      82",
    "PUBLISH with wildcard response,     3008 0001 61 04 08 0001 23, 82",
    "PUBLISH whose properties overflow,  3005 0001 61 09 01,         81",
    "SUBSCRIBE without filter,           8203 0001 00,               82",
    "SUBSCRIBE with QoS 3,               8207 0001 00 0001 61 03,    82",
    "SUBSCRIBE with reserved bits,       8207 0001 00 0001 61 40,    81",
    "SUBSCRIBE with retain handling 3,   8207 0001 00 0001 61 30,    82",
    "SUBSCRIBE with wrong flags,         8007 0001 00 0001 61 00,    81",
    "SUBSCRIBE with identifier 0,        8209 0001 02 0b00 0001 61 00, 82",
    "SUBSCRIBE no local and shared,      8211 0001 00 000b 24736861 72652f67 2f6178 04, 82",
    "UNSUBSCRIBE without filter,         a203 0001 00,               82",
    "PUBREL with wrong flags,            6002 0001,                  81",
    "PINGREQ with a body,                c001 00,                    81",
    "AUTH without method,                f002 18 00,                 82",
    "CONNACK from a client,              2003 000000,                82",
    "unknown packet type,                0000,                       81",
    "five length bytes,                  30 ffffffff01,              81",
    "DISCONNECT that adds expiry,        e007 00 05 11 00000005,     82"
  })
  void shouldCloseAnMqtt5ConnectionOnInvalidInput(String what, String hex, String reasonCode) {
    TestClient client = world.open().connect5("c", true, 0);
    client.expect("CONNACK 0");
    client.sendHex(hex);
    assertThat(client.readAll()).as(what).containsExactly("DISCONNECT " + reasonCode);
    assertThat(client.isOpen()).isFalse();
    assertThat(world.observer.disconnected).hasSize(1);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "PUBLISH to a wildcard,           3004 0001 2b 00",
    "PUBLISH to nothing,              3003 0000 00",
    "SUBSCRIBE with MQTT 5 options,   8206 0001 0001 61 04",
    "PUBACK with a reason code,       4003 0001 00",
    "DISCONNECT with a reason code,   e001 00",
    "AUTH,                            f000",
    "SUBSCRIBE without filter,        8202 0001"
  })
  void shouldCloseAnMqtt3ConnectionSilentlyOnInvalidInput(String what, String hex) {
    TestClient client = world.open().connect3("c", true);
    client.expect("CONNACK 0");
    client.sendHex(hex).expect();
    assertThat(client.isOpen()).as(what).isFalse();
    assertThat(world.observer.disconnected).hasSize(1);
  }

  @Test
  void shouldSendReasonStringsUnlessTheClientDeclinesThem() {
    TestClient withReasons = world.open().connect5("c", true, 0);
    withReasons.sendHex("3003 0000 00").next();
    assertThat(withReasons.property(MqttProperties.REASON_STRING)).isNotNull();
    MqttProperties quiet = new MqttProperties();
    quiet.add(new MqttProperties.IntegerProperty(MqttProperties.REQUEST_PROBLEM_INFORMATION, 0));
    TestClient silent = world.open().connect5("d", true, quiet);
    silent.next();
    silent.sendHex("3003 0000 00").expect("DISCONNECT 82");
    assertThat(silent.property(MqttProperties.REASON_STRING)).isNull();
  }

  @Test
  void shouldServeOtherClientsDespiteABadOne() {
    TestClient good = world.open().connect3("good", true).subscribe(1, "t", 1);
    good.readAll();
    world.open().connect5("bad", true, 0).sendHex("30 ffffffff01");
    world.open().sendHex("ffff");
    world.open().connect3("pub", true).publish(1, 1, "t", "x");
    good.expect("PUBLISH q1 id=1 t x");
  }
}
