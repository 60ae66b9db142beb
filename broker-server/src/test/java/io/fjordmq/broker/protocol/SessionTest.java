package io.fjordmq.broker.protocol;

import static io.fjordmq.broker.protocol.Packets.ack;
import static io.fjordmq.broker.protocol.Packets.connect4;
import static io.fjordmq.broker.protocol.Packets.connect5;
import static io.fjordmq.broker.protocol.Packets.expiry;
import static io.fjordmq.broker.protocol.Packets.packet;
import static io.fjordmq.broker.protocol.Packets.properties;
import static io.fjordmq.broker.protocol.Packets.publish5;
import static io.fjordmq.broker.protocol.Packets.subscribe5;
import static io.fjordmq.broker.protocol.Packets.text;
import static io.fjordmq.broker.protocol.Packets.uint16;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.RawBroker;
import io.fjordmq.broker.testing.RawBroker.RawConnection;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Session state across connections (MQTT 5.0 §4.1, §4.4), takeover (§3.1.4), server shutdown. */
class SessionTest {
  private final RawBroker broker = new RawBroker();

  @AfterEach
  void closeBroker() {
    broker.close();
  }

  private RawConnection openConnection(String clientId, String... properties) {
    RawConnection line = broker.open().send(connect5(clientId, true, properties));
    assertThat(line.read()).hasSize(1);
    return line;
  }

  private RawConnection resumeSession(String clientId) {
    return broker.open().send(connect5(clientId, false, expiry(60)));
  }

  @Test
  @DisplayName("[MQTT-3.1.4-3] [MQTT-4.4.0-1] a takeover with messages in flight loses none")
  void shouldContinueTheSessionAfterATakeover() {
    RawConnection old = openConnection("s", expiry(60)).send(subscribe5(1, "a", 2));
    RawConnection publisher = openConnection("p");
    publisher.send(publish5(0x34, 1, "a", "00", "31"), publish5(0x32, 2, "a", "00", "32"));
    publisher.send(publish5(0x34, 3, "a", "00", "33"), publish5(0x32, 4, "a", "00", "34"));
    assertThat(old.read()).hasSize(5);
    old.send(ack(0x50, 1), ack(0x40, 4));
    RawConnection line = resumeSession("s");
    assertThat(old.read()).first().isEqualTo(ack(0x62, 1));
    assertThat(old.isOpen()).isFalse();
    assertThat(line.read())
        .hasSize(4)
        .endsWith(
            ack(0x62, 1), publish5(0x3A, 2, "a", "00", "32"), publish5(0x3C, 3, "a", "00", "33"));
    line.send(ack(0x70, 1), ack(0x40, 2), ack(0x50, 3), ack(0x70, 3));
    assertThat(line.isOpen()).as("PUBCOMP before PUBREL ends the connection").isFalse();
    RawConnection last = resumeSession("s");
    last.send(ack(0x70, 3)).cut();
    assertThat(resumeSession("s").read()).hasSize(1);
  }

  @Test
  @DisplayName("[MQTT-3.1.2-23] subscriptions are kept with their options and identifiers")
  void shouldKeepSubscriptions() {
    openConnection("s", expiry(60))
        .send(subscribe5(1, properties("0b05"), text("a") + "0d"), subscribe5(2, "b", 0))
        .cut();
    RawConnection line = resumeSession("s");
    line.read();
    openConnection("p").send(publish5(0x33, 1, "a", "00", "78"), publish5("b", "79"));
    assertThat(line.read())
        .containsExactlyInAnyOrder(
            publish5(0x33, 1, "a", properties("0b05"), "78"), publish5("b", "79"));
    line.send(publish5(0x32, 1, "a", "00", "6d"));
    assertThat(line.read()).as("No Local stays, too").containsExactly(ack(0x40, 1));
  }

  @Test
  @DisplayName("[MQTT-3.1.2-4] nothing of a session is left after Clean Start")
  void shouldDiscardTheSessionAtCleanStart() {
    RawConnection old = openConnection("s", expiry(60)).send(subscribe5(1, "a", 2));
    RawConnection publisher = openConnection("p").send(publish5(0x34, 1, "a", "00", "78"));
    old.send(ack(0x50, 1), publish5(0x34, 9, "x", "00", "")).cut();
    RawConnection line = openConnection("s", expiry(60));
    line.send(ack(0x62, 9));
    assertThat(line.read())
        .as("its QoS 2 identifiers are forgotten")
        .containsExactly(ack(0x70, 9, 0x92));
    publisher.send(publish5(0x32, 2, "a", "00", "79"));
    assertThat(line.read()).isEmpty();
    assertThat(publisher.read()).last().isEqualTo(ack(0x40, 2, 0x10));
  }

  @Test
  @DisplayName("[MQTT-4.1.0-2] a session ends with its connection if expiry is 0")
  void shouldEndTheSessionWithTheConnection() {
    openConnection("s").send(subscribe5(1, "a", 1)).cut();
    assertThat(resumeSession("s").read()).singleElement().asString().startsWith("200e00");
  }

  @Test
  @DisplayName("MQTT 5 resumes a session of MQTT 3.1.1 with its own expiry")
  void shouldEndASessionResumedWithoutExpiry() {
    broker.open().send(connect4("s", false)).cut();
    RawConnection line = broker.open().send(connect5("s", false));
    assertThat(line.read()).singleElement().asString().startsWith("200e01");
    line.cut();
    assertThat(resumeSession("s").read()).singleElement().asString().startsWith("200e00");
  }

  @Test
  @DisplayName(
      "[MQTT-3.14.4-2] [MQTT-4.13.2-1] server shutdown: 0x8B for MQTT 5, nothing for MQTT 3.1.1")
  void shouldSendDisconnectAtShutdown() {
    RawConnection five = openConnection("five");
    RawConnection four = broker.open().send(connect4("four", true));
    four.read();
    broker.shutDown();
    assertThat(five.read()).singleElement().asString().matches("e0..8b.*");
    assertThat(four.read()).isEmpty();
    assertThat(List.of(five.isOpen(), four.isOpen())).containsOnly(false);
    assertThat(broker.open().send(connect4("late", true)).read()).containsExactly("20020003");
  }

  @Test
  @DisplayName("[MQTT-3.2.0-1] packets may follow a CONNECT immediately")
  void shouldProcessPacketsSentTogetherWithConnect() {
    RawConnection line =
        broker
            .open()
            .send(connect5("s", true), subscribe5(1, "a", 1), publish5(0x32, 2, "a", "00", "78"));
    assertThat(line.read()).hasSize(3).first().asString().startsWith("20");
    assertThat(line.isOpen()).isTrue();
  }

  @Test
  @DisplayName("[MQTT-3.1.4-6] packets after a refused CONNECT are ignored")
  void shouldIgnorePacketsAfterARefusedConnect() {
    RawConnection listener = openConnection("l").send(subscribe5(1, "a", 0));
    listener.read();
    broker.open().send(connect5("s", true, "21 0000"), publish5("a", "78"));
    assertThat(listener.read()).isEmpty();
  }

  @Test
  @DisplayName("[MQTT-3.1.2-8] [MQTT-3.1.2-10] a will is published once and then forgotten")
  void shouldPublishAWillOnce() {
    RawConnection listener = openConnection("l").send(subscribe5(1, "will", 0));
    listener.read();
    String rest = text("c") + "00" + text("will") + text("gone");
    broker.open().send(connect5("06", properties(), rest)).cut();
    assertThat(listener.read()).hasSize(1);
    openConnection("c").cut();
    assertThat(listener.read()).isEmpty();
  }

  @Test
  @DisplayName(
      "[MQTT-3.1.2-8] [MQTT-3.1.4-3] a takeover publishes the will of the older connection")
  void shouldPublishTheWillAtATakeover() {
    RawConnection listener = openConnection("l").send(subscribe5(1, "will", 0));
    listener.read();
    broker.open().send(connect5("06", "00", text("c"), "00", text("will"), text("gone")));
    openConnection("c");
    assertThat(listener.read()).containsExactly(publish5("will", "676f6e65"));
  }

  @Test
  @DisplayName("[MQTT-3.12.4-1] PINGREQ is answered, also behind a held-back PUBLISH")
  void shouldAnswerPingreq() {
    openConnection("k", expiry(60)).send(subscribe5(1, "a", 1)).cut();
    RawConnection line = openConnection("c");
    broker.hold();
    line.send(publish5(0x32, 1, "a", "00", ""), "c000");
    assertThat(line.read()).containsExactly("d000");
    broker.resume();
    assertThat(line.read()).containsExactly(ack(0x40, 1));
  }

  @Test
  @DisplayName("[MQTT-4.3.3-9] PUBREC with an error frees the identifier for another message")
  void shouldFreeTheIdentifierAfterAPubrecWithAnError() {
    RawConnection line =
        openConnection("s", expiry(60)).send(packet(0x34, text("n"), uint16(3), "00", ""));
    assertThat(line.read()).containsExactly(ack(0x50, 3, 0x10));
    line.send(ack(0x62, 3));
    assertThat(line.read()).containsExactly(ack(0x70, 3));
    line.send(packet(0x34, text("n"), uint16(3), "00", ""));
    assertThat(line.read()).containsExactly(ack(0x50, 3, 0x10));
  }
}
