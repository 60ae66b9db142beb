package io.fjordmq.broker.protocol;

import static io.fjordmq.broker.protocol.Packets.connect3;
import static io.fjordmq.broker.protocol.Packets.connect4;
import static io.fjordmq.broker.protocol.Packets.connect5;
import static io.fjordmq.broker.protocol.Packets.expiry;
import static io.fjordmq.broker.protocol.Packets.packet;
import static io.fjordmq.broker.protocol.Packets.properties;
import static io.fjordmq.broker.protocol.Packets.publish5;
import static io.fjordmq.broker.protocol.Packets.subscribe5;
import static io.fjordmq.broker.protocol.Packets.text;
import static io.fjordmq.broker.protocol.Packets.uint32;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.RawBroker;
import io.fjordmq.broker.testing.RawBroker.RawConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** CONNECT and CONNACK (MQTT 5.0 §3.1, §3.2), DISCONNECT (§3.14), AUTH (§3.15). */
class ConnectTest {
  private final RawBroker broker = new RawBroker();

  @AfterEach
  void closeBroker() {
    broker.close();
  }

  private RawConnection openConnection(String connect) {
    RawConnection line = broker.open().send(connect);
    assertThat(line.read()).singleElement().asString().matches("20..0[01]00.*");
    return line;
  }

  private static void assertSessionPresent(RawConnection line, boolean present) {
    assertThat(line.read())
        .singleElement()
        .asString()
        .matches("20..0" + (present ? 1 : 0) + "00.*");
  }

  @Test
  @DisplayName("[MQTT-3.1.2-4] [MQTT-3.2.2-2] Clean Start discards the session")
  void shouldStartANewSessionAtCleanStart() {
    openConnection(connect5("c", true, expiry(60))).cut();
    assertSessionPresent(broker.open().send(connect5("c", true, expiry(60))), false);
  }

  @Test
  @DisplayName("[MQTT-3.1.2-5] [MQTT-3.2.2-3] an existing session is resumed")
  void shouldResumeAnExistingSession() {
    openConnection(connect5("c", true, expiry(60))).cut();
    assertSessionPresent(broker.open().send(connect5("c", false, expiry(60))), true);
  }

  @Test
  @DisplayName("[MQTT-3.1.2-6] [MQTT-3.2.2-3] a new session is created without Session Present")
  void shouldCreateASessionIfThereIsNone() {
    assertSessionPresent(broker.open().send(connect5("c", false, expiry(60))), false);
  }

  @Test
  @DisplayName("[MQTT-3.2.2-6] a refusal does not set Session Present")
  void shouldNotSetSessionPresentInARefusal() {
    openConnection(connect5("c", true, expiry(60))).cut();
    RawConnection line = broker.open().send(connect5("c", false, "21 0000"));
    assertThat(line.read()).singleElement().asString().matches("20..0082.*");
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName(
      "[MQTT-3.1.2-2] [3.1.1: MQTT-3.1.2-2] an unsupported version is refused in a known format")
  @CsvSource({
    "mosquitto's bridges try 3.1.1 with the high bit first, 84, 20020001",
    "then MQTT 3.1 with the high bit,                       83, 20020001",
    "level 2,                                               02, 20020001",
    "level 0,                                               00, 20020001",
    "level 0 with the high bit,                             80, 20020001"
  })
  void shouldRefuseUnknownVersions(String what, String level, String answer) {
    RawConnection line =
        broker.open().send(packet(0x10, text("MQTT"), level, "02 003c", text("c")));
    assertThat(line.read()).as(what).containsExactly(answer);
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName("[MQTT-1.5.4-2] invalid text of a client is not echoed")
  void shouldNotEchoInvalidText() {
    RawConnection line =
        broker.open().send(packet(0x10, "0004 00000a0d", "06", "02 003c 00", text("c")));
    assertThat(line.read())
        .singleElement()
        .asString()
        .matches("20..0084.*")
        .doesNotContain("000000");
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("[MQTT-3.1.4-2] an invalid will is refused with its reason")
  @CsvSource({
    "response topic with wildcard,  0003 08 0001 23, a,     82",
    "empty response topic,          0003 08 0000,    a,     82",
    "will topic with wildcard,      0000,            a/#,   90",
    "empty will topic,              0000,            '',    90",
    "will topic with many levels,   0000,            DEEP,  90"
  })
  void shouldRefuseAnInvalidWill(String what, String rest, String topic, String code) {
    String will = properties(rest.substring(4));
    String name = topic.equals("DEEP") ? "/".repeat(200) : topic;
    RawConnection line =
        broker.open().send(connect5("06", "00", text("c"), will, text(name), text("gone")));
    assertThat(line.read()).as(what).singleElement().asString().matches("20..00" + code + ".*");
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName("[MQTT-3.1.4-3] the older connection of a client ends with 0x8E")
  void shouldDisconnectTheOlderConnectionAtATakeover() {
    RawConnection old = openConnection(connect5("c", true));
    openConnection(connect5("c", true));
    assertThat(old.read()).singleElement().asString().startsWith("e0").contains("8e");
    assertThat(old.isOpen()).isFalse();
  }

  @ParameterizedTest(name = "second CONNECT {0}")
  @DisplayName("[MQTT-3.1.0-2] a second CONNECT of any version closes the connection")
  @CsvSource({"MQTT 5, 05", "MQTT 3.1.1, 04"})
  void shouldCloseTheConnectionOnASecondConnect(String what, String level) {
    RawConnection line = openConnection(connect5("c", true));
    String properties = level.equals("05") ? "00" : "";
    line.send(packet(0x10, text("MQTT"), level, "02 0000", properties, text("c")));
    assertThat(line.read()).as(what).singleElement().asString().matches("e0..82.*");
    assertThat(line.isOpen()).isFalse();
  }

  @ParameterizedTest(name = "Maximum Packet Size {0}")
  @DisplayName("[MQTT-3.1.2-24] no packet exceeds the client's maximum, CONNACK included")
  @CsvSource({"1", "4", "5", "12", "16", "17", "18", "60"})
  void shouldLimitTheConnackToTheMaximumPacketSize(int most) {
    RawConnection line = broker.open().send(connect5("c", true, "27" + uint32(most)));
    assertThat(line.read())
        .allSatisfy(packet -> assertThat(packet.length() / 2).isLessThanOrEqualTo(most));
  }

  @Test
  @DisplayName("[MQTT-3.1.2-24] [MQTT-3.2.2-19] the CONNACK of a refusal does not exceed it")
  void shouldLimitARefusalToTheMaximumPacketSize() {
    String tooLong = "x".repeat(2_000);
    RawConnection line = broker.open().send(connect5(tooLong, true, "27" + uint32(12)));
    assertThat(line.read())
        .allSatisfy(packet -> assertThat(packet.length() / 2).isLessThanOrEqualTo(12));
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName("[MQTT-3.1.2-24] a SUBACK for many filters does not exceed the maximum")
  void shouldLimitTheSubackToTheMaximumPacketSize() {
    RawConnection line = openConnection(connect5("c", true, "27" + uint32(40)));
    String[] filters = new String[60];
    for (int i = 0; i < filters.length; i++) {
      filters[i] = text("f" + i) + "00";
    }
    line.send(subscribe5(1, "00", filters));
    assertThat(line.read())
        .allSatisfy(packet -> assertThat(packet.length() / 2).isLessThanOrEqualTo(40));
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName("[MQTT-3.1.2-24] a DISCONNECT with a Reason String does not exceed it")
  void shouldLimitADisconnectToTheMaximumPacketSize() {
    RawConnection line = openConnection(connect5("c", true, "27" + uint32(40)));
    line.send("c001 00");
    assertThat(line.read()).containsExactly("e0028100");
  }

  @Test
  @DisplayName(
      "[MQTT-3.1.3-6] [MQTT-3.1.3-7] [MQTT-3.2.2-16] a client without an identifier is given one")
  void shouldAssignAClientIdentifier() {
    RawConnection line = broker.open().send(connect5("", false, expiry(60)));
    assertThat(line.read()).singleElement().asString().matches("20..0000.*12....66.*");
  }

  @Test
  @DisplayName("[MQTT-4.13.1-1] DISCONNECT cannot extend a session with expiry 0")
  void shouldRejectASessionExpiryAtDisconnectIfItWasZeroAtConnect() {
    RawConnection listener = openConnection(connect5("l", true));
    listener.send(subscribe5(1, "will", 0)).read();
    RawConnection line =
        openConnection(connect5("06", "00", text("c"), "00", text("will"), text("gone")));
    line.send(packet(0xE0, "00", properties(expiry(10))));
    assertThat(line.read()).singleElement().asString().matches("e0..82.*");
    assertThat(listener.read()).containsExactly(publish5("will", "676f6e65"));
  }

  @Test
  @DisplayName("[MQTT-4.1.0-2] DISCONNECT may end a session immediately")
  void shouldEndTheSessionAtDisconnectWithExpiryZero() {
    openConnection(connect5("c", true, expiry(60))).send(packet(0xE0, "00", properties(expiry(0))));
    assertSessionPresent(broker.open().send(connect5("c", false, expiry(60))), false);
  }

  @Test
  @DisplayName("[MQTT-3.14.4-3] DISCONNECT 0x00 discards the will")
  void shouldDiscardTheWillAtANormalDisconnect() {
    RawConnection listener = openConnection(connect5("l", true));
    listener.send(subscribe5(1, "will", 0)).read();
    String connect = connect5("06", "00", text("c"), "00", text("will"), text("gone"));
    openConnection(connect).send("e000");
    openConnection(connect).send("e001 00");
    openConnection(connect).send("e002 00 00");
    assertThat(listener.read()).isEmpty();
    openConnection(connect).send("e001 04");
    assertThat(listener.read()).hasSize(1);
  }

  @Test
  @DisplayName("[MQTT-3.14.4-1] packets after a DISCONNECT are ignored")
  void shouldIgnorePacketsAfterDisconnect() {
    RawConnection listener = openConnection(connect5("l", true));
    listener.send(subscribe5(1, "t", 0)).read();
    openConnection(connect5("c", true)).send("e000", publish5("t", "78"));
    assertThat(listener.read()).isEmpty();
  }

  @Test
  @DisplayName(
      "[MQTT-3.1.2-7] [MQTT-3.1.2-9] [MQTT-3.1.2-15] the will has its QoS, RETAIN and properties")
  void shouldPublishTheWillWithAllItsProperties() {
    RawConnection listener = openConnection(connect5("l", true));
    listener.send(subscribe5(1, "will", 1)).read();
    String will =
        properties("01 01", "02 00000064", "03" + text("ct"), "26" + text("k") + text("v"));
    RawConnection line =
        openConnection(connect5("2e", "00", text("c"), will, text("will"), text("gone")));
    line.cut();
    String seen =
        properties("02 00000064", "01 01", "03" + text("ct"), "26" + text("k") + text("v"));
    assertThat(listener.read()).containsExactly(publish5(0x32, 1, "will", seen, "676f6e65"));
    RawConnection late = openConnection(connect5("late", true)).send(subscribe5(1, "will", 0));
    assertThat(late.read()).hasSize(2).last().asString().startsWith("31");
  }

  @Test
  @DisplayName("[MQTT-3.2.2-21] Server Keep Alive is sent if it differs from the request")
  void shouldSendServerKeepAlive() {
    try (RawBroker strict = new RawBroker(RawBroker.settings("maxKeepAliveSeconds", 30))) {
      String connect = packet(0x10, text("MQTT"), "05 02 0e10 00", text("c"));
      assertThat(strict.open().send(connect).read()).singleElement().asString().contains("13001e");
    }
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("[MQTT-4.12.0-7] AUTH without a method is a protocol error")
  @CsvSource({"no body, f000", "continue, f002 18 00", "method, f006 18 04 15 0001 78"})
  void shouldRejectAuth(String what, String packet) {
    RawConnection line = openConnection(connect5("c", true)).send(packet);
    assertThat(line.read()).as(what).singleElement().asString().matches("e0..8[12].*");
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName("[MQTT-3.1.2-29] without Request Problem Information no Reason String is sent")
  void shouldNotSendReasonStringsWithoutRequestProblemInformation() {
    RawConnection line = openConnection(connect5("c", true, "17 00"));
    line.send(
        subscribe5(1, "/".repeat(128), 0), publish5(0x32, 1, "x", "00", ""), Packets.ack(0x62, 9));
    assertThat(line.read()).containsExactlyInAnyOrder("90040001008f", "4003000110", "7003000992");
  }

  @Test
  @DisplayName(
      "[MQTT-3.1.2-8] a session that ends with its connection publishes its will immediately")
  void shouldNotDelayTheWillBeyondTheSession() {
    RawConnection listener = openConnection(connect5("l", true));
    listener.send(subscribe5(1, "will", 0)).read();
    String will = properties("18" + uint32(3_600));
    openConnection(connect5("06", "00", text("c"), will, text("will"), text("gone"))).cut();
    assertThat(listener.read()).containsExactly(publish5("will", "676f6e65"));
  }

  @Test
  @DisplayName(
      "[MQTT-3.1.3-2] [3.1.1: MQTT-3.1.3-2] MQTT 5, 3.1.1 and 3.1 share client identifiers and sessions")
  void shouldResumeAcrossVersions() {
    openConnection(connect3("c", false)).cut();
    openConnection(connect4("c", false)).cut();
    assertSessionPresent(broker.open().send(connect5("c", false, expiry(60))), true);
  }
}
