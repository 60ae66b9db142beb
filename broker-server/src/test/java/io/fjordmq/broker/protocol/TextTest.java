package io.fjordmq.broker.protocol;

import static io.fjordmq.broker.protocol.Packets.connect5;
import static io.fjordmq.broker.protocol.Packets.packet;
import static io.fjordmq.broker.protocol.Packets.properties;
import static io.fjordmq.broker.protocol.Packets.subscribe5;
import static io.fjordmq.broker.protocol.Packets.text;
import static io.fjordmq.broker.protocol.Packets.withLength;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.RawBroker;
import io.fjordmq.broker.testing.RawBroker.RawConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** UTF-8 encoded strings (MQTT 5.0 §1.5.4) in every field, and their lengths. */
class TextTest {
  private final RawBroker broker = new RawBroker();

  @AfterEach
  void closeBroker() {
    broker.close();
  }

  private RawConnection openConnection(String clientId) {
    RawConnection line = broker.open().send(connect5(clientId, true));
    assertThat(line.read()).hasSize(1);
    return line;
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName(
      "[MQTT-1.5.4-1] [MQTT-1.5.4-2] [MQTT-1.5.7-1] [MQTT-3.1.3-4] [MQTT-3.1.3-11] [MQTT-3.1.3-12] [MQTT-3.3.2-1] [MQTT-3.8.3-1] [MQTT-3.10.3-1] [MQTT-4.7.3-2] ill-formed UTF-8 and U+0000 in any field")
  @CsvSource({
    "high surrogate,       eda080",
    "low surrogate,        edb080",
    "pair of surrogates,   eda081edb080",
    "overlong slash,       c0af",
    "overlong U+0000,      c080",
    "beyond U+10FFFF,      f4908080",
    "lone continuation,    80",
    "cut off,              c3",
    "U+0000,               6100"
  })
  void shouldRejectIllFormedStrings(String what, String bad) {
    String field = withLength(bad);
    for (String connect :
        new String[] {
          connect5("02", "00", field),
          connect5("02", properties("26" + field + text("v")), text("c")),
          connect5("06", "00", text("c"), "00", field, text("x")),
          connect5("06", "00", text("c"), properties("03" + field), text("w"), text("x")),
          connect5("82", "00", text("c"), field)
        }) {
      RawConnection line = broker.open().send(connect);
      assertThat(line.read())
          .as(what + " in " + connect)
          .singleElement()
          .asString()
          .matches("20..0081.*");
    }
    for (String packet :
        new String[] {
          packet(0x30, field, "00"),
          packet(0x30, text("a"), properties("08" + field)),
          packet(0x30, text("a"), properties("26" + text("k") + field)),
          packet(0x82, "0001 00", field, "00"),
          packet(0xA2, "0001 00", field),
          packet(0x40, "0001 00", properties("1f" + field)),
          packet(0xE0, "00", properties("1f" + field))
        }) {
      RawConnection line = openConnection("c").send(packet);
      assertThat(line.read())
          .as(what + " in " + packet)
          .singleElement()
          .asString()
          .matches("e0..81.*");
      assertThat(line.isOpen()).isFalse();
    }
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName(
      "[MQTT-1.5.4-3] [MQTT-4.7.3-4] text is forwarded unchanged: no BOM stripped, not normalized")
  @CsvSource({
    "byte order mark,        efbbbf61",
    "only a byte order mark, efbbbf",
    "beyond the BMP,         f09f909f",
    "not normalized,         65cc81",
    "control character,      6101",
    "not a character,        efbfbf",
    "a blank,                20"
  })
  void shouldForwardUnusualStringsUnchanged(String what, String topic) {
    RawConnection line = openConnection("s").send(packet(0x82, "0001 00", withLength(topic), "00"));
    RawConnection bare = openConnection("b").send(subscribe5(1, "a", 0));
    String publish = packet(0x30, withLength(topic), properties("03" + withLength(topic)), "78");
    openConnection("p").send(publish);
    assertThat(line.read()).as(what).endsWith(publish);
    assertThat(bare.read()).hasSize(1);
  }

  @Test
  @DisplayName("[MQTT-4.7.3-3] topics and filters of 65,535 bytes")
  void shouldAcceptTheLongestTopic() {
    String topic = "x".repeat(65_535);
    RawConnection line = openConnection("s").send(subscribe5(1, topic, 0));
    String publish = packet(0x30, text(topic), "00", "78");
    openConnection("p").send(publish);
    assertThat(line.read()).endsWith(publish);
  }

  @Test
  @DisplayName("[MQTT-4.7.3-3] [3.1.1: MQTT-4.7.3-3] will topics of 65,535 bytes")
  void shouldAcceptLongWillTopics() {
    for (int bytes : new int[] {32_767, 32_768, 65_535}) {
      String topic = "x".repeat(bytes);
      RawConnection line = openConnection("s" + bytes).send(subscribe5(1, topic, 0));
      broker.open().send(connect5("06", "00", text("c"), "00", text(topic), text("x"))).cut();
      String head = text("MQTT") + "04" + "06" + "0000";
      broker.open().send(packet(0x10, head, text("c"), text(topic), text("y"))).cut();
      assertThat(line.read())
          .endsWith(packet(0x30, text(topic), "00", "78"), packet(0x30, text(topic), "00", "79"));
    }
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("[MQTT-3.1.3-11] [MQTT-1.5.4-1] long will topics are checked like short ones")
  @CsvSource({"ill-formed, ff, 81", "U+0000, 00, 81", "wildcard, 23, 90"})
  void shouldRejectIllFormedLongWillTopics(String what, String end, String code) {
    String topic = withLength("78".repeat(40_000) + end);
    RawConnection line =
        broker.open().send(connect5("06", "00", text("c"), "00", topic, text("x")));
    assertThat(line.read()).as(what).singleElement().asString().matches("20..00" + code + ".*");
    assertThat(line.isOpen()).isFalse();
  }
}
