package io.fjordmq.broker.protocol;

import static io.fjordmq.broker.protocol.Packets.ack;
import static io.fjordmq.broker.protocol.Packets.bytes;
import static io.fjordmq.broker.protocol.Packets.connect5;
import static io.fjordmq.broker.protocol.Packets.expiry;
import static io.fjordmq.broker.protocol.Packets.packet;
import static io.fjordmq.broker.protocol.Packets.properties;
import static io.fjordmq.broker.protocol.Packets.publish5;
import static io.fjordmq.broker.protocol.Packets.subscribe5;
import static io.fjordmq.broker.protocol.Packets.text;
import static io.fjordmq.broker.protocol.Packets.uint16;
import static io.fjordmq.broker.protocol.Packets.varInt;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.RawBroker;
import io.fjordmq.broker.testing.RawBroker.RawConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SUBSCRIBE to UNSUBACK (MQTT 5.0 §3.8 to §3.11), subscriptions (§4.7, §4.8). */
class SubscribeTest {
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

  private static void assertEndedWith(RawConnection line, String code) {
    assertThat(line.read()).last().asString().matches("e0.." + code + ".*");
    assertThat(line.isOpen()).isFalse();
  }

  private static String unsubscribe(int id, String... filters) {
    StringBuilder all = new StringBuilder();
    for (String filter : filters) {
      all.append(text(filter));
    }
    return packet(0xA2, uint16(id), "00", all.toString());
  }

  @Test
  @DisplayName("[MQTT-3.8.4-6] [MQTT-3.8.4-7] [MQTT-3.9.3-1] one code for each filter, in order")
  void shouldAnswerEveryFilter() {
    RawConnection line = openConnection("c");
    String filters = text("a") + "02" + text("/".repeat(128)) + "00" + text("b") + "01";
    line.send(subscribe5(9, "00", filters));
    assertThat(line.read()).containsExactly("90060009 00 02 8f 01".replace(" ", ""));
  }

  @ParameterizedTest(name = "<{0}>")
  @DisplayName(
      "[MQTT-4.7.1-1] [MQTT-4.7.1-2] [MQTT-4.8.2-1] [MQTT-4.8.2-2] ill-formed filters: 0x81")
  @ValueSource(
      strings = {
        "",
        "a#",
        "a/#/b",
        "#/a",
        "+a",
        "a+/b",
        "a/b+",
        "$share/",
        "$share//a",
        "$share/g",
        "$share/g/",
        "$share/+/a",
        "$share/g#/a",
        "$share/g/a#"
      })
  void shouldCloseTheConnectionOnAnIllFormedFilter(String filter) {
    assertEndedWith(openConnection("c").send(subscribe5(1, filter, 0)), "81");
    assertEndedWith(openConnection("d").send(unsubscribe(2, filter)), "81");
  }

  @ParameterizedTest(name = "{0} matches {1}: {2}")
  @DisplayName("[MQTT-4.7.2-1] [MQTT-4.7.3-4] matching, empty levels included")
  @CsvSource({
    "#, a, true",
    "#, /, true",
    "#, $own/a, false",
    "+/a, $own/a, false",
    "$own/#, $own/a, true",
    "$own/+, $own/a, true",
    "+, /, false",
    "+/+, /, true",
    "/+, /, true",
    "+/, /, true",
    "a/#, a, true",
    "a/#, a/, true",
    "a/+, a, false",
    "a/+, a/, true",
    "a//b, a//b, true",
    "a/+/b, a//b, true",
    "a/b, A/b, false",
    "a/+/#, a/, true",
    "a/+/#, a, false"
  })
  void shouldMatchFilters(String filter, String topic, boolean expected) {
    RawConnection live = openConnection("live").send(subscribe5(1, filter, 0));
    RawConnection member = openConnection("member").send(subscribe5(1, "$share/g/" + filter, 0));
    RawConnection kept = openConnection("kept", expiry(60)).send(subscribe5(1, filter, 1));
    openConnection("p").send(publish5(0x33, 1, topic, "00", "78"));
    int packets = expected ? 2 : 1;
    assertThat(live.read()).hasSize(packets);
    assertThat(member.read()).hasSize(packets);
    assertThat(kept.read()).hasSize(packets);
    RawConnection late = openConnection("late").send(subscribe5(1, filter, 0));
    assertThat(late.read()).hasSize(packets);
  }

  @Test
  @DisplayName("[MQTT-3.8.3-4] No Local on a shared subscription is a protocol error")
  void shouldRejectNoLocalOnASharedSubscription() {
    assertEndedWith(openConnection("c").send(subscribe5(1, "$share/g/a", 4)), "82");
  }

  @Test
  @DisplayName("[MQTT-3.8.3-3] No Local holds for retained messages too")
  void shouldNotReplayItsOwnRetainedMessagesWithNoLocal() {
    RawConnection line =
        openConnection("c").send(publish5(0x31, 0, "a", "00", "6d"), subscribe5(1, "a", 4));
    assertThat(line.read()).containsExactly("900400010000");
    openConnection("other").send(publish5(0x31, 0, "a", "00", "6f"));
    assertThat(line.read()).containsExactly(publish5("a", "6f"));
    line.send(subscribe5(2, "a", 4));
    assertThat(line.read()).containsExactly("900400020000", publish5(0x31, 0, "a", "00", "6f"));
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName(
      "[MQTT-2.2.1-3] [MQTT-3.8.1-1] [MQTT-3.8.3-2] [MQTT-3.8.3-5] [MQTT-3.10.1-1] [MQTT-3.10.3-2] malformed SUBSCRIBE and UNSUBSCRIBE")
  @CsvSource({
    "reserved option bit 6,         82070001 00 0001 61 40,      81",
    "reserved option bit 7,         82070001 00 0001 61 80,      81",
    "QoS 3,                         82070001 00 0001 61 03,      82",
    "retain handling 3,             82070001 00 0001 61 30,      82",
    "identifier 0,                  82070000 00 0001 61 00,      81",
    "UNSUBSCRIBE identifier 0,      a2060000 00 0001 61,         81",
    "flags of SUBSCRIBE,            80070001 00 0001 61 00,      81",
    "flags of UNSUBSCRIBE,          a0060001 00 0001 61,         81",
    "no filter,                     82030001 00,                 82",
    "UNSUBSCRIBE of no filter,      a2030001 00,                 82",
    "subscription identifier 0,     82090001 02 0b00 0001 61 00, 82",
    "two subscription identifiers,  820b0001 04 0b010b02 0001 61 00, 82",
    "filter without options,        82060001 00 0001 61,         81",
    "filter not UTF-8,              82070001 00 0001 ff 00,      81",
    "filter with U+0000,            82070001 00 0001 00 00,      81"
  })
  void shouldCloseTheConnectionOnAnInvalidPacket(String what, String packet, String code) {
    RawConnection line = openConnection("c").send(packet);
    assertThat(line.read()).as(what).singleElement().asString().matches("e0.." + code + ".*");
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName("[MQTT-3.8.4-3] [MQTT-3.8.4-4] an existing filter is replaced")
  void shouldReplaceASubscription() {
    RawConnection line = openConnection("c").send(subscribe5(1, "a", 2), subscribe5(2, "a", 0));
    assertThat(line.read()).containsExactly("900400010002", "900400020000");
    openConnection("p").send(publish5(0x32, 1, "a", "00", "78"));
    assertThat(line.read()).containsExactly(publish5("a", "78"));
  }

  @Test
  @DisplayName("[MQTT-3.8.4-3] a replacement does not count as a new subscription")
  void shouldReplaceASubscriptionAtTheLimit() {
    try (RawBroker small = new RawBroker(RawBroker.settings("maxSubscriptions", 1))) {
      for (String session : new String[] {"", expiry(60)}) {
        RawConnection line = small.open().send(connect5("c" + session, true, session));
        line.send(subscribe5(1, "a", 2), subscribe5(2, "a", 1), subscribe5(3, "b", 1));
        assertThat(line.read()).hasSize(4).endsWith("900400010002", "900400020001", "900400030097");
      }
    }
  }

  @Test
  @DisplayName(
      "[MQTT-3.3.4-2] [MQTT-3.3.4-3] [MQTT-3.3.4-4] overlapping filters: highest QoS, all identifiers")
  void shouldDeliverOnceForOverlappingFilters() {
    for (String session : new String[] {"", expiry(60)}) {
      RawConnection line = openConnection("c" + session.length(), session);
      line.send(subscribe5(1, properties("0b01"), text("a/#") + "00"));
      line.send(subscribe5(2, properties("0b" + varInt(268_435_455)), text("a/+") + "01"));
      line.read();
      openConnection("p").send(publish5(0x34, 1, "a/b", "00", "78"));
      String received = line.read().toString();
      assertThat(received).contains("0b01", "0bffffff7f").startsWith("[32").doesNotContain(",");
    }
  }

  @Test
  @DisplayName(
      "[MQTT-3.3.1-9] [MQTT-3.3.1-10] [MQTT-3.3.1-11] [MQTT-3.3.1-12] [MQTT-3.3.1-13] Retain Handling and RETAIN, live and replayed")
  void shouldHonorRetainOptions() {
    openConnection("p").send(publish5(0x31, 0, "a", "00", "6f"));
    RawConnection line = openConnection("c").send(subscribe5(1, "a", 0x10));
    assertThat(line.read()).containsExactly("900400010000", publish5(0x31, 0, "a", "00", "6f"));
    line.send(subscribe5(2, "a", 0x10), subscribe5(3, "a", 0x20));
    assertThat(line.read()).containsExactly("900400020000", "900400030000");
    line.send(subscribe5(4, "a", 0x00));
    assertThat(line.read()).containsExactly("900400040000", publish5(0x31, 0, "a", "00", "6f"));
    RawConnection other = openConnection("o").send(publish5(0x31, 0, "a", "00", "6e"));
    assertThat(line.read()).containsExactly(publish5("a", "6e"));
    line.send(subscribe5(5, "a", 0x28)).read();
    other.send(publish5(0x31, 0, "a", "00", "6d"));
    assertThat(line.read()).containsExactly(publish5(0x31, 0, "a", "00", "6d"));
  }

  @Test
  @DisplayName("[MQTT-3.3.1-6] [MQTT-3.3.1-7] an empty payload clears the message and is delivered")
  void shouldClearTheRetainedMessage() {
    RawConnection line = openConnection("c").send(subscribe5(1, "a", 0));
    RawConnection publisher = openConnection("p").send(publish5(0x31, 0, "a", "00", "6f"));
    publisher.send(publish5(0x31, 0, "a", "00", ""));
    assertThat(line.read()).endsWith(publish5("a", "6f"), publish5("a", ""));
    assertThat(openConnection("n").send(subscribe5(1, "a", 0)).read()).hasSize(1);
  }

  @Test
  @DisplayName(
      "[MQTT-3.11.3-1] [MQTT-3.11.3-2] UNSUBACK: one code for each filter, 0x11 for an unknown one")
  void shouldAnswerEveryFilterOfAnUnsubscribe() {
    for (String session : new String[] {"", expiry(60)}) {
      RawConnection line =
          openConnection("c" + session.length(), session).send(subscribe5(1, "a", 0));
      line.send(unsubscribe(2, "b", "a", "a", "/".repeat(128)));
      assertThat(line.read()).endsWith("b0070002" + "00" + "110011" + "8f");
    }
  }

  @Test
  @DisplayName("[MQTT-3.3.4-6] a publisher must not send subscription identifiers")
  void shouldRejectSubscriptionIdentifierInAPublishFromAClient() {
    assertEndedWith(openConnection("c").send(publish5(0x30, 0, "a", properties("0b01"), "")), "82");
  }

  @Test
  @DisplayName("[MQTT-4.8.2-6] a message refused by a member goes to no other member")
  void shouldNotRedistributeAMessageThatAMemberRejected() {
    RawConnection one = openConnection("one").send(subscribe5(1, "$share/g/a", 1));
    openConnection("p").send(publish5(0x32, 1, "a", "00", "78"));
    assertThat(one.read()).hasSize(2);
    RawConnection two = openConnection("two").send(subscribe5(1, "$share/g/a", 1));
    one.send(ack(0x40, 1, 0x80)).cut();
    assertThat(two.read()).containsExactly("900400010001");
  }

  @Test
  @DisplayName("[MQTT-4.8.2-5] a QoS 2 message sent to one member goes to no other")
  void shouldNotRedistributeASentQos2Message() {
    RawConnection one = openConnection("one").send(subscribe5(1, "$share/g/a", 2));
    openConnection("p").send(publish5(0x34, 1, "a", "00", "78"));
    assertThat(one.read()).hasSize(2);
    RawConnection two = openConnection("two").send(subscribe5(1, "$share/g/a", 2));
    one.cut();
    assertThat(two.read()).containsExactly("900400010002");
  }

  @Test
  @DisplayName("[MQTT-4.8.2-3] a member's copy has the granted QoS of its subscription")
  void shouldLowerTheQosOfASharedSubscription() {
    RawConnection one = openConnection("one").send(subscribe5(1, "$share/g/a", 0));
    openConnection("p").send(publish5(0x34, 1, "a", "00", "78"));
    assertThat(one.read()).endsWith(publish5("a", "78"));
  }

  @Test
  @DisplayName("[MQTT-4.13.1-1] a subscription identifier has up to four bytes")
  void shouldRejectASubscriptionIdentifierOfFiveBytes() {
    String packet =
        subscribe5(1, properties("0b" + bytes(0xFF, 0xFF, 0xFF, 0xFF, 1)), text("a"), "00");
    assertEndedWith(openConnection("c").send(packet), "81");
  }
}
