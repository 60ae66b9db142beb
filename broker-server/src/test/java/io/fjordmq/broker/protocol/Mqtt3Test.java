package io.fjordmq.broker.protocol;

import static io.fjordmq.broker.protocol.Packets.ack;
import static io.fjordmq.broker.protocol.Packets.connect3;
import static io.fjordmq.broker.protocol.Packets.connect4;
import static io.fjordmq.broker.protocol.Packets.connect5;
import static io.fjordmq.broker.protocol.Packets.packet;
import static io.fjordmq.broker.protocol.Packets.properties;
import static io.fjordmq.broker.protocol.Packets.publish;
import static io.fjordmq.broker.protocol.Packets.publish5;
import static io.fjordmq.broker.protocol.Packets.subscribe;
import static io.fjordmq.broker.protocol.Packets.text;
import static io.fjordmq.broker.protocol.Packets.uint16;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.RawBroker;
import io.fjordmq.broker.testing.RawBroker.RawConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** MQTT 3.1 and 3.1.1 clients receive nothing specific to MQTT 5. */
class Mqtt3Test {
  private static final String ACCEPTED = "20020000";

  private final RawBroker broker = new RawBroker();

  @AfterEach
  void closeBroker() {
    broker.close();
  }

  private RawConnection openConnection(String connect) {
    RawConnection line = broker.open().send(connect);
    assertThat(line.read()).containsExactly(ACCEPTED);
    return line;
  }

  private static String connect(int version, String id) {
    return version == 3 ? connect3(id, true) : connect4(id, true);
  }

  @Test
  @DisplayName("[3.1.1: MQTT-3.2.2-2] [3.1.1: MQTT-3.2.2-3] Session Present")
  void shouldSendSessionPresentToMqtt311() {
    openConnection(connect4("c", false)).cut();
    assertThat(broker.open().send(connect4("c", false)).read()).containsExactly("20020100");
    assertThat(broker.open().send(connect4("c", true)).read()).containsExactly(ACCEPTED);
  }

  @Test
  @DisplayName("[3.1: §3.2] the first byte of a CONNACK is reserved: there is no Session Present")
  void shouldNotSendSessionPresentToMqtt31() {
    openConnection(connect3("c", false)).cut();
    assertThat(broker.open().send(connect3("c", false)).read()).containsExactly(ACCEPTED);
  }

  @ParameterizedTest(name = "level {0}")
  @ValueSource(ints = {3, 4})
  @DisplayName("acknowledgements of MQTT 3 have an identifier and nothing else")
  void shouldAnswerWithoutReasonCodesAndProperties(int version) {
    RawConnection line = openConnection(connect(version, "c"));
    line.send(packet(0x32, text("nobody"), uint16(1), "78"));
    line.send(packet(0x34, text("nobody"), uint16(2), "78"));
    line.send(ack(0x62, 2), ack(0x62, 77));
    line.send(packet(0xA2, uint16(3), text("never"), text("/".repeat(128))));
    line.send(ack(0x50, 99));
    assertThat(line.read())
        .containsExactly(
            ack(0x40, 1), ack(0x50, 2), ack(0x70, 2), ack(0x70, 77), ack(0xB0, 3), ack(0x62, 99));
  }

  @ParameterizedTest(name = "level {0}")
  @ValueSource(ints = {3, 4})
  @DisplayName("a message of MQTT 5 reaches MQTT 3 without its properties")
  void shouldNotSendMqtt5Properties(int version) {
    RawConnection line = openConnection(connect(version, "c")).send(subscribe(1, "a", 1));
    assertThat(line.read()).containsExactly("9003000101");
    RawConnection publisher = broker.open().send(connect5("p", true));
    String given = properties("02 00000064", "03" + text("ct"), "26" + text("k") + text("v"));
    publisher.send(publish5(0x32, 1, "a", given, "78"));
    assertThat(line.read()).containsExactly(packet(0x32, text("a"), uint16(1), "78"));
  }

  @ParameterizedTest(name = "level {0}")
  @ValueSource(ints = {3, 4})
  @DisplayName("MQTT 3 receives no reason when its connection ends")
  void shouldSendNoDisconnect(int version) {
    RawConnection line = openConnection(connect(version, "c"));
    broker.open().send(connect(version, "c"));
    assertThat(line.read()).isEmpty();
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName("[3.1.1: MQTT-3.8.4-5] [3.1.1: MQTT-3.9.3-1] a refused filter is answered with 0x80")
  void shouldRejectInvalidFilters() {
    RawConnection line = openConnection(connect4("c", true));
    line.send(
        packet(0x82, uint16(7), text("a"), "00", text("/".repeat(128)), "01", text("b"), "02"));
    assertThat(line.read()).containsExactly("90050007008002");
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName(
      "[3.1: §3.6] [3.1: §3.8] [3.1: §3.10] an MQTT 3.1 client sets DUP on repeated requests")
  @CsvSource({
    "SUBSCRIBE, 8a060001000161 00, 9003000100",
    "UNSUBSCRIBE, aa0500010001 61, b0020001",
    "PUBREL, 6a020001, 70020001"
  })
  void shouldAcceptDupOnSubscribeAndUnsubscribeOfMqtt31(String what, String packet, String answer) {
    RawConnection line = openConnection(connect3("c", true)).send(packet);
    assertThat(line.read()).as(what).containsExactly(answer);
    assertThat(line.isOpen()).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName(
      "[3.1.1: MQTT-2.2.2-2] [3.1.1: MQTT-3.6.1-1] [3.1.1: MQTT-3.8.1-1] [3.1.1: MQTT-3.10.1-1] in MQTT 3.1.1 DUP is reserved there")
  @CsvSource({"SUBSCRIBE, 8a060001000161 00", "UNSUBSCRIBE, aa0500010001 61", "PUBREL, 6a020001"})
  void shouldRejectReservedFlags(String what, String packet) {
    RawConnection line = openConnection(connect4("c", true)).send(packet);
    assertThat(line.read()).as(what).isEmpty();
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName("[3.1: §3.1] user name and password may be missing although flagged")
  void shouldAcceptAMqtt31ConnectWithoutTheFlaggedUserName() {
    String head = text("MQIsdp") + "03";
    openConnection(packet(0x10, head, "c2", "0000", text("c")));
    openConnection(packet(0x10, head, "c2", "0000", text("c"), text("user")));
    openConnection(packet(0x10, head, "c2", "0000", text("c"), text("user"), text("pass")));
  }

  @Test
  @DisplayName(
      "[3.1.1: MQTT-3.1.3-7] [3.1.1: MQTT-3.1.3-8] an empty identifier needs Clean Session")
  void shouldRejectAnEmptyClientIdentifier() {
    assertThat(broker.open().send(connect4("", false)).read()).containsExactly("20020002");
    openConnection(connect4("", true));
  }

  @Test
  @DisplayName("[3.1.1: MQTT-3.3.1-2] a QoS 0 PUBLISH must not set DUP")
  void shouldRejectDupWithQos0() {
    RawConnection line = openConnection(connect4("c", true)).send(packet(0x38, text("a"), "78"));
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName("[3.1.1: MQTT-4.7.2-1] $-topics are not matched by a leading wildcard")
  void shouldNotMatchDollarTopicsWithLeadingWildcards() {
    RawConnection all =
        openConnection(connect4("all", true)).send(subscribe(1, "#", 0), subscribe(2, "+/x", 0));
    RawConnection sys = openConnection(connect4("sys", true)).send(subscribe(1, "$own/#", 0));
    assertThat(all.read()).hasSize(2);
    assertThat(sys.read()).hasSize(1);
    openConnection(connect4("p", true)).send(publish("$own/x", "78"));
    assertThat(all.read()).isEmpty();
    assertThat(sys.read()).containsExactly(publish("$own/x", "78"));
  }
}
