package io.fjordmq.broker.protocol;

import static io.fjordmq.broker.protocol.Packets.ack;
import static io.fjordmq.broker.protocol.Packets.connect5;
import static io.fjordmq.broker.protocol.Packets.expiry;
import static io.fjordmq.broker.protocol.Packets.properties;
import static io.fjordmq.broker.protocol.Packets.publish5;
import static io.fjordmq.broker.protocol.Packets.subscribe5;
import static io.fjordmq.broker.protocol.Packets.text;
import static io.fjordmq.broker.protocol.Packets.uint16;
import static io.fjordmq.broker.protocol.Packets.uint32;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.RawBroker;
import io.fjordmq.broker.testing.RawBroker.RawConnection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** PUBLISH to PUBCOMP (MQTT 5.0 §3.3 to §3.7), delivery (§4.3 to §4.6), flow control (§4.9). */
class PublishTest {
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

  private RawConnection resumeSession(String clientId, String... properties) {
    RawConnection line = broker.open().send(connect5(clientId, false, properties));
    return line;
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("[MQTT-4.13.1-1] a malformed PUBLISH closes the connection with its reason")
  @CsvSource({
    "[MQTT-3.3.1-2] DUP with QoS 0,           3804 0001 61 00,            81",
    "[MQTT-3.3.1-4] QoS 3,                    3606 0001 61 0001 00,       81",
    "[MQTT-2.2.1-3] identifier 0,             3206 0001 61 0000 00,       81",
    "[MQTT-3.3.2-2] wildcard,                 3006 0003 612f23 00,        90",
    "[MQTT-3.3.2-8] alias 0,                  3007 0001 61 03 23 0000,    94",
    "[MQTT-3.3.2-9] alias beyond the maximum, 3007 0001 61 03 23 0021,    94",
    "[MQTT-3.3.2-13] response topic not UTF-8, 3008 0001 61 04 08 0001 ff, 81",
    "[MQTT-3.3.2-14] wildcard response topic, 3008 0001 61 04 08 0001 2b, 82",
    "[MQTT-3.3.2-19] content type not UTF-8,  3008 0001 61 04 03 0001 ff, 81",
    "[MQTT-1.5.4-2] user property with U+0000, 300a 0001 61 06 26 0001 00 0000, 81",
    "[MQTT-1.5.4-1] user property surrogate,  300c 0001 61 08 26 0003 eda080 0000, 81",
    "[MQTT-1.5.5-1] a length in more bytes than it needs, 3005 0001 61 8000, 81",
    "[MQTT-1.5.5-1] a remaining length in more bytes than it needs, 308400 0001 61 00, 81",
    "unknown alias,                           3006 0000 03 23 0005,       82",
    "neither topic nor alias,                 3003 0000 00,               82",
    "payload format indicator 2,              3006 0001 61 02 01 02,      8[12]",
    "two message expiries,                    300e 0001 61 0a 02 00000001 02 00000001, 82",
    "property of a CONNECT,                   3007 0001 61 03 21 0001,    81"
  })
  void shouldCloseTheConnectionOnAnInvalidPacket(String what, String packet, String code) {
    RawConnection line = openConnection("c").send(packet);
    assertThat(line.read()).as(what).singleElement().asString().matches("e0.." + code + ".*");
    assertThat(line.isOpen()).isFalse();
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("[MQTT-2.2.1-5] acknowledgements with identifier 0 are malformed")
  @CsvSource({"PUBACK, 40020000", "PUBREC, 50020000", "PUBREL, 62020000", "PUBCOMP, 70020000"})
  void shouldCloseTheConnectionOnIdentifierZero(String what, String packet) {
    RawConnection line = openConnection("c").send(packet);
    assertThat(line.read()).as(what).singleElement().asString().matches("e0..8[12].*");
  }

  @Test
  @DisplayName("[MQTT-3.3.1-3] DUP of a publisher is not forwarded")
  void shouldNotForwardDup() {
    RawConnection line = openConnection("s").send(subscribe5(1, "a", 1));
    openConnection("p").send(publish5(0x3A, 9, "a", "00", "78"));
    assertThat(line.read()).endsWith(publish5(0x32, 1, "a", "00", "78"));
  }

  @Test
  @DisplayName("[MQTT-3.3.1-3] DUP is not set on the first transmission")
  void shouldNotSetDupOnMessagesThatWereNeverSent() {
    openConnection("s", expiry(60)).send(subscribe5(1, "a", 1)).cut();
    openConnection("p").send(publish5(0x32, 1, "a", "00", "78"));
    assertThat(resumeSession("s", expiry(60)).read()).endsWith(publish5(0x32, 1, "a", "00", "78"));
  }

  @Test
  @DisplayName("[MQTT-3.3.1-1] [MQTT-4.4.0-1] a sent message is resent with its identifier")
  void shouldResendWithDup() {
    RawConnection line = openConnection("s", expiry(60)).send(subscribe5(1, "a", 2));
    RawConnection publisher = openConnection("p");
    publisher.send(publish5(0x32, 1, "a", "00", "31"), publish5(0x34, 2, "a", "00", "32"));
    publisher.send(publish5(0x34, 3, "a", "00", "33"), publish5(0x32, 4, "a", "00", "34"));
    assertThat(line.read()).hasSize(5);
    line.send(ack(0x40, 4), ack(0x50, 3)).cut();
    publisher.send(publish5(0x32, 5, "a", "00", "35"));
    assertThat(resumeSession("s", expiry(60)).read())
        .hasSize(5)
        .endsWith(
            ack(0x62, 3),
            publish5(0x3A, 1, "a", "00", "31"),
            publish5(0x3C, 2, "a", "00", "32"),
            publish5(0x32, 5, "a", "00", "35"));
  }

  @Test
  @DisplayName("[MQTT-3.3.4-9] [MQTT-4.9.0-2] no more in flight than the client's Receive Maximum")
  void shouldHonorTheReceiveMaximumAcrossAReconnect() {
    RawConnection line = openConnection("s", expiry(60), "21 0003").send(subscribe5(1, "a", 2));
    RawConnection publisher = openConnection("p");
    for (int i = 1; i <= 6; i++) {
      publisher.send(publish5(0x34, i, "a", "00", "78"));
    }
    assertThat(line.read()).hasSize(1 + 3);
    line.send(ack(0x50, 1), ack(0x50, 2));
    assertThat(line.read()).containsExactly(ack(0x62, 1), ack(0x62, 2));
    line.cut();
    RawConnection again = resumeSession("s", expiry(60), "21 0001");
    assertThat(again.read()).hasSize(3).endsWith(ack(0x62, 1), ack(0x62, 2));
    again.send(ack(0x70, 2));
    assertThat(again.read()).isEmpty();
    again.send(ack(0x70, 1));
    assertThat(again.read()).containsExactly(publish5(0x3C, 3, "a", "00", "78"));
  }

  @Test
  @DisplayName("[MQTT-3.3.4-7] exceeding the server's Receive Maximum ends with 0x93")
  void shouldCloseTheConnectionBeyondTheReceiveMaximum() {
    try (RawBroker small = new RawBroker(RawBroker.settings("receiveMaximum", 2))) {
      RawConnection line = small.open().send(connect5("p", true));
      line.read();
      line.send(publish5(0x34, 1, "a", "00", ""), publish5(0x34, 2, "a", "00", ""));
      line.send(publish5(0x3C, 2, "a", "00", ""));
      assertThat(line.isOpen()).as("a repetition does not count").isTrue();
      line.send(ack(0x62, 1), publish5(0x34, 3, "a", "00", ""));
      assertThat(line.isOpen()).isTrue();
      line.read();
      line.send(publish5(0x34, 4, "a", "00", ""));
      assertThat(line.read()).singleElement().asString().matches("e0..93.*");
    }
  }

  @Test
  @DisplayName(
      "[MQTT-4.3.3-10] [MQTT-4.3.3-12] a repeated QoS 2 PUBLISH is acknowledged, not delivered")
  void shouldDeliverQos2Once() {
    RawConnection line = openConnection("s").send(subscribe5(1, "a", 0));
    RawConnection publisher = openConnection("p", expiry(60));
    publisher.send(publish5(0x34, 7, "a", "00", "78")).send(publish5(0x3C, 7, "a", "00", "78"));
    assertThat(publisher.read()).containsExactly(ack(0x50, 7), ack(0x50, 7));
    publisher.send(ack(0x62, 7)).send(ack(0x62, 7));
    assertThat(publisher.read()).containsExactly(ack(0x70, 7), ack(0x70, 7, 0x92));
    assertThat(line.read()).hasSize(2);
    publisher.send(publish5(0x34, 7, "a", "00", "79"));
    assertThat(line.read()).as("after PUBREL it is another message").hasSize(1);
  }

  @Test
  @DisplayName(
      "[MQTT-4.3.3-4] [MQTT-4.4.0-2] PUBREC with an error ends the exchange without PUBREL")
  void shouldNotSendPubrelAfterAPubrecWithAnError() {
    for (String session : new String[] {"", expiry(60)}) {
      RawConnection line =
          openConnection("s" + session.length(), session).send(subscribe5(1, "a", 2));
      openConnection("p").send(publish5(0x34, 1, "a", "00", "78"));
      assertThat(line.read()).hasSize(2);
      line.send(ack(0x50, 1, 0x80), ack(0x70, 1), ack(0x50, 1));
      assertThat(line.read()).containsExactly(ack(0x62, 1, 0x92));
      assertThat(line.isOpen()).isTrue();
    }
  }

  @Test
  @DisplayName("[MQTT-4.6.0-2] [MQTT-4.6.0-3] acknowledgements are sent in message order")
  void shouldAcknowledgeInOrder() {
    openConnection("k", expiry(60)).send(subscribe5(1, "kept", 2)).cut();
    RawConnection publisher = openConnection("p", expiry(60));
    broker.hold();
    publisher.send(publish5(0x34, 1, "kept", "00", ""), publish5(0x34, 2, "nobody", "00", ""));
    publisher.send(publish5(0x32, 3, "kept", "00", ""), publish5(0x32, 4, "nobody", "00", ""));
    broker.resume();
    assertThat(publisher.read())
        .containsExactly(ack(0x50, 1), ack(0x50, 2, 0x10), ack(0x40, 3), ack(0x40, 4, 0x10));
  }

  @Test
  @DisplayName("[MQTT-3.3.2-6] Message Expiry Interval counts down, retained messages included")
  void shouldCountDownTheMessageExpiryInterval() {
    openConnection("s", expiry(600)).send(subscribe5(1, "a", 1)).cut();
    openConnection("p").send(publish5(0x33, 1, "a", properties("02 00000064"), "78"));
    broker.advanceTime(40);
    String left = properties("02 0000003c");
    assertThat(resumeSession("s", expiry(600)).read()).last().asString().endsWith(left + "78");
    RawConnection late = openConnection("late").send(subscribe5(1, "a", 0));
    assertThat(late.read()).endsWith(publish5(0x31, 0, "a", left, "78"));
    broker.advanceTime(60);
    assertThat(openConnection("later").send(subscribe5(1, "a", 0)).read()).hasSize(1);
  }

  @Test
  @DisplayName("[MQTT-3.1.2-25] a packet too large for the client counts as delivered")
  void shouldSkipMessagesThatExceedTheMaximumPacketSize() {
    for (String session : new String[] {"", expiry(60)}) {
      String id = "s" + session.length();
      RawConnection line =
          openConnection(id, session, "27" + uint32(30)).send(subscribe5(1, "a", 1));
      line.read();
      RawConnection publisher = openConnection("p");
      // 1 + 1 + 3 + 2 + 1 + payload: properties count as well.
      publisher.send(publish5(0x32, 1, "a", "00", "78".repeat(22)));
      publisher.send(publish5(0x32, 2, "a", "00", "78".repeat(23)));
      publisher.send(
          publish5(0x32, 3, "a", properties("26" + text("k") + text("v".repeat(20))), "78"));
      publisher.send(publish5(0x32, 4, "a", "00", "79"));
      List<String> got = line.read();
      assertThat(got).hasSize(2).first().asString().hasSize(60);
      assertThat(got).last().asString().endsWith("79");
    }
  }

  @Test
  @DisplayName("[MQTT-3.3.2-7] aliases end with their connection")
  void shouldForgetTopicAliasesWithTheConnection() {
    RawConnection line = openConnection("p", expiry(60));
    line.send(publish5(0x30, 0, "a", properties("23 0001"), "")).cut();
    RawConnection again = resumeSession("p", expiry(60));
    again.send(publish5(0x30, 0, "", properties("23 0001"), ""));
    assertThat(again.read()).last().asString().matches("e0..82.*");
  }

  @Test
  @DisplayName(
      "[MQTT-3.1.2-26] [MQTT-3.1.2-27] [MQTT-3.3.2-11] no alias above the client's maximum, none without a maximum")
  void shouldHonorTheTopicAliasMaximumOfTheClient() {
    RawConnection none = openConnection("none").send(subscribe5(1, "#", 0));
    RawConnection one = openConnection("one", "22 0001").send(subscribe5(1, "#", 0));
    RawConnection publisher = openConnection("p");
    publisher.send(publish5("a", "31"), publish5("b", "32"), publish5("a", "33"));
    assertThat(none.read()).endsWith(publish5("a", "31"), publish5("b", "32"), publish5("a", "33"));
    String alias = properties("23 0001");
    assertThat(one.read())
        .endsWith(
            publish5(0x30, 0, "a", alias, "31"),
            publish5("b", "32"),
            publish5(0x30, 0, "", alias, "33"));
  }

  @Test
  @Tag("slow")
  @DisplayName("[MQTT-2.2.1-4] [MQTT-4.3.2-1] identifiers run from 1 to 65,535 and wrap around")
  void shouldCycleThroughAllPacketIdentifiers() {
    RawConnection line = openConnection("s").send(subscribe5(1, "a", 1));
    RawConnection publisher = openConnection("p");
    line.read();
    List<Integer> wrong = new ArrayList<>();
    for (int i = 1; i <= 65_540; i++) {
      int id = 1 + (i - 1) % 65_535;
      publisher.send(publish5(0x32, id, "a", "00", ""));
      if (!line.read().equals(List.of(publish5(0x32, id, "a", "00", "")))
          || !publisher.read().equals(List.of(ack(0x40, id)))) {
        wrong.add(i);
      }
      line.send(ack(0x40, id));
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  @DisplayName("[MQTT-4.3.3-5] [MQTT-4.3.3-10] QoS 2 across reconnects of both sides")
  void shouldCompleteQos2ExchangesAfterReconnects() {
    openConnection("s", expiry(60)).send(subscribe5(1, "a", 2)).cut();
    openConnection("p", expiry(60)).send(publish5(0x34, 5, "a", "00", "78")).cut();
    RawConnection publisher =
        resumeSession("p", expiry(60)).send(publish5(0x3C, 5, "a", "00", "78"));
    assertThat(publisher.read()).endsWith(ack(0x50, 5));
    publisher.cut();
    publisher = resumeSession("p", expiry(60)).send(ack(0x62, 5));
    assertThat(publisher.read()).endsWith(ack(0x70, 5));
    RawConnection subscriber = resumeSession("s", expiry(60));
    assertThat(subscriber.read()).hasSize(2).last().asString().contains(text("a") + uint16(1));
    subscriber.send(ack(0x50, 1)).cut();
    subscriber = resumeSession("s", expiry(60));
    assertThat(subscriber.read()).hasSize(2).endsWith(ack(0x62, 1));
    subscriber.send(ack(0x70, 1)).cut();
    assertThat(resumeSession("s", expiry(60)).read()).hasSize(1);
  }

  @Test
  @Tag("slow")
  @DisplayName("[MQTT-2.2.1-4] all identifiers but one may be in use for a client")
  void shouldKeepNearlyAllPacketIdentifiersInUse() {
    int most = 65_534;
    try (RawBroker wide =
        new RawBroker(
            RawBroker.settings(
                RawBroker.settings(
                    RawBroker.settings("maxInflight", most), "maxQueuedMessages", 70_000),
                "writeBytesPerSecond",
                0))) {
      RawConnection line = wide.open().send(connect5("s", true), subscribe5(1, "a", 1));
      line.read();
      RawConnection publisher = wide.open().send(connect5("p", true));
      publisher.read();
      StringBuilder thousand = new StringBuilder();
      for (int id = 1; id <= 1_000; id++) {
        thousand.append(publish5(0x32, id, "a", "00", ""));
      }
      for (int i = 0; i < 66; i++) {
        publisher.send(thousand.toString());
      }
      assertThat(line.read())
          .hasSize(most)
          .startsWith(publish5(0x32, 1, "a", "00", ""))
          .endsWith(publish5(0x32, most, "a", "00", ""))
          .doesNotHaveDuplicates();
      line.send(ack(0x40, 2));
      assertThat(line.read()).containsExactly(publish5(0x32, 65_535, "a", "00", ""));
      line.send(ack(0x40, 3));
      assertThat(line.read()).as("the next identifier is still in use").isEmpty();
      line.send(ack(0x40, 1));
      assertThat(line.read())
          .containsExactly(publish5(0x32, 1, "a", "00", ""), publish5(0x32, 2, "a", "00", ""));
    }
  }

  @Test
  @Tag("slow")
  @DisplayName("[MQTT-3.3.4-7] [MQTT-4.3.3-10] a publisher may use all 65,535 identifiers")
  void shouldAcceptEveryPacketIdentifierOfAPublisher() {
    try (RawBroker wide = new RawBroker(RawBroker.settings("receiveMaximum", 65_535))) {
      RawConnection publisher = wide.open().send(connect5("p", true));
      publisher.read();
      for (int from = 1; from <= 65_535; from += 1_285) {
        StringBuilder batch = new StringBuilder();
        for (int id = from; id < from + 1_285; id++) {
          batch.append(publish5(0x34, id, "a", "00", ""));
        }
        publisher.send(batch.toString());
      }
      assertThat(publisher.read())
          .hasSize(65_535)
          .startsWith(ack(0x50, 1, 0x10))
          .endsWith(ack(0x50, 65_535, 0x10));
      publisher.send(publish5(0x3C, 9, "a", "00", ""), ack(0x62, 65_535));
      assertThat(publisher.read()).containsExactly(ack(0x50, 9), ack(0x70, 65_535));
    }
  }
}
