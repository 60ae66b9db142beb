package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Packets no client library would send, written to a socket of a running broker: each has a defined
 * response and metric, and other clients are not affected.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadPacketsTest {
  private static final String LIMITS =
      """
      sessionConfig:
        maxPacketBytes: 64 KiB
        maxClientIdBytes: 64
      """;

  private BrokerUnderTest broker;
  private Bystander bystander;

  @BeforeAll
  void start(@TempDir Path directory) {
    broker = BrokerUnderTest.startIn(directory, LIMITS, java.util.List.of());
    bystander = new Bystander(broker.mqtt());
  }

  @AfterEach
  void assertOthersUnaffected() {
    bystander.assertUnaffected();
  }

  @AfterAll
  void stop() {
    bystander.close();
    assertThat(broker.stop()).isZero();
    assertThat(broker.output()).doesNotContain("ERROR", "Exception", "\tat ");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "remaining length of five bytes,        30 8080808001,                   81",
    "reserved packet type,                  0000,                            81",
    "flags of SUBSCRIBE,                    8007 0001 00 0001 61 00,         81",
    "flags of UNSUBSCRIBE,                  a006 0001 00 0001 61,            81",
    "flags of PUBREL,                       6002 0001,                       81",
    "flags of PINGREQ,                      c100,                            81",
    "flags of DISCONNECT,                   e100,                            81",
    "PINGREQ with a body,                   c001 00,                         81",
    "PUBLISH of QoS 3,                      3606 0001 61 0001 00,            81",
    "PUBLISH of QoS 0 with DUP,             3804 0001 61 00,                 81",
    "PUBLISH shorter than its topic,        3004 0009 61 00,                 81",
    "PUBLISH with packet identifier 0,      3206 0001 61 0000 00,            81",
    "topic with U+0000,                     3004 0001 00 00,                 81",
    "topic that is not UTF-8,               3004 0001 ff 00,                 81",
    "topic with #,                          3004 0001 23 00,                 90",
    "topic with +,                          3006 0003 612f2b 00,             90",
    "empty topic without alias,             3003 0000 00,                    82",
    "topic alias 0,                         3007 0001 61 03 23 0000,         94",
    "topic alias too high,                  3007 0001 61 03 23 0100,         94",
    "unknown topic alias,                   3006 0000 03 23 0001,            82",
    "user property that is not UTF-8,       300b 0001 61 07 26 0001 ff 0001 61, 81",
    "user property with U+0000,             300b 0001 61 07 26 0001 61 0001 00, 81",
    "property twice,                        300a 0001 61 06 23 0001 23 0001, 82",
    "property of SUBSCRIBE in PUBLISH,      3006 0001 61 02 0b 01,           82",
    "property of CONNECT in PUBLISH,        3007 0001 61 03 21 0001,         81",
    "unknown property,                      3006 0001 61 02 7e 01,           81",
    "properties longer than the packet,     3006 0001 61 09 01 01,           81",
    "payload format 2,                      3006 0001 61 02 01 02,           82",
    "response topic with wildcard,          3008 0001 61 04 08 0001 23,      82",
    "SUBSCRIBE without filter,              8203 0001 00,                    82",
    "SUBSCRIBE with packet identifier 0,    8207 0000 00 0001 61 00,         81",
    "SUBSCRIBE of QoS 3,                    8207 0001 00 0001 61 03,         82",
    "SUBSCRIBE with reserved option,        8207 0001 00 0001 61 40,         81",
    "SUBSCRIBE with retain handling 3,      8207 0001 00 0001 61 30,         82",
    "subscription identifier 0,             8209 0001 02 0b 00 0001 61 00,   82",
    "filter that is not UTF-8,              8207 0001 00 0001 ff 00,         81",
    "No Local on a shared subscription,     8210 0001 00 000a 2473686172652f612f62 04, 82",
    "UNSUBSCRIBE without filter,            a203 0001 00,                    82",
    "second CONNECT,                        100e 0004 4d515454 05 02 003c 00 0001 61, 82",
    "second CONNECT cut short,              1002 a501,                       82",
    "CONNACK from a client,                 2003 00 00 00,                   82",
    "SUBACK from a client,                  9004 0001 00 00,                 82",
    "PINGRESP from a client,                d000,                            82",
    "AUTH without a method,                 f000,                            82",
    "session expiry from 0 to more,         e007 00 05 11 00000001,          82",
    "packet above the limit,                30 808004,                       95"
  })
  void shouldDisconnectMqtt5With(String what, String packet, String reason) {
    String metric = closed(reason);
    double before = broker.scrape().value(metric);
    try (RawClient client = RawClient.openConnected(broker.mqtt(), 5, anyId(), 60)) {
      String answer = client.send(packet).next();
      assertThat(answer).as(what).startsWith("e0");
      assertThat(answer.substring(4, 6)).as(what + ": " + answer).isEqualTo(reason);
      assertThat(client.next()).isEqualTo(RawClient.CLOSED);
    }
    assertThat(broker.scrape().value(metric)).isEqualTo(before + 1);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "remaining length of five bytes,        30 8080808001,                   81",
    "PUBLISH of QoS 3,                      3605 0001 61 0001,               81",
    "topic with U+0000,                     3003 0001 00,                    81",
    "topic that is not UTF-8,               3003 0001 ff,                    81",
    "topic with #,                          3003 0001 23,                    90",
    "empty topic,                           3002 0000,                       90",
    "SUBSCRIBE without filter,              8202 0001,                       82",
    "SUBSCRIBE of QoS 3,                    8206 0001 0001 61 03,            81",
    "filter that is not UTF-8,              8206 0001 0001 ff 00,            81",
    "second CONNECT,                        100d 0004 4d515454 04 02 003c 0001 61, 82",
    "PUBLISH of QoS 0 with DUP,             3803 0001 61,                    81",
    "AUTH,                                  f000,                            81",
    "packet above the limit,                30 808004,                       95"
  })
  void shouldCloseMqtt3With(String what, String packet, String reason) {
    String metric = closed(reason);
    double before = broker.scrape().value(metric);
    try (RawClient client = RawClient.openConnected(broker.mqtt(), 4, anyId(), 60)) {
      assertThat(client.send(packet).next()).as(what).isEqualTo(RawClient.CLOSED);
    }
    assertThat(broker.scrape().value(metric)).isEqualTo(before + 1);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "PUBLISH,                  3003 0001 61,                            closed,   first_packet_not_connect",
    "PINGREQ,                  c000,                                    closed,   first_packet_not_connect",
    "HTTP,                     474554202f20485454502f312e310d0a0d0a,    closed,   first_packet_not_connect",
    "TLS,                      16030100c8010000c40303,                  closed,   first_packet_not_connect",
    "MQTT 3.1.1 of level 6,    100d 0004 4d515454 06 02 003c 0001 61,   *84,      unsupported_protocol_version",
    "level 3 named MQTT,       100d 0004 4d515454 03 02 003c 0001 61,   20020001, unsupported_protocol_version",
    "an unknown name,          100d 0004 4d515455 04 02 003c 0001 61,   20020001, unsupported_protocol_version",
    "client id not UTF-8,      100d 0004 4d515454 04 02 003c 0001 ff,   closed,   malformed_packet",
    "client id with U+0000,    100d 0004 4d515454 04 02 003c 0001 00,   closed,   malformed_packet",
    "MQTT 5 id not UTF-8,      100e 0004 4d515454 05 02 003c 00 0001 ff, *81,     malformed_packet",
    "MQTT 5 will topic #,      1015 0004 4d515454 05 06 003c 00 0001 61 00 0001 23 0001 61, *90, topic_name_invalid",
    "MQTT 5 will not UTF-8,    1015 0004 4d515454 05 06 003c 00 0001 61 00 0001 ff 0001 61, *81, malformed_packet",
    "will topic not UTF-8,     1013 0004 4d515454 04 06 003c 0001 61 0001 ff 0001 61, closed, malformed_packet",
    "no id and not clean,      100c 0004 4d515454 04 00 003c 0000,      20020002, client_identifier_not_valid",
    "a packet above the limit, 10 808004,                               closed,   packet_too_large",
    "a length of five bytes,   10 8080808001,                           closed,   malformed_packet"
  })
  void shouldRefuseFirstPacket(String what, String packet, String answer, String reason) {
    String metric = "fjordmq_connections_refused_total{reason=\"" + reason + "\"}";
    double before = broker.scrape().value(metric);
    try (RawClient client = new RawClient(broker.mqtt())) {
      String got = client.send(packet).next();
      if (answer.startsWith("*")) {
        assertThat(got).as(what).startsWith("20");
        assertThat(got.substring(6, 8)).as(what + ": " + got).isEqualTo(answer.substring(1));
      } else {
        assertThat(got).as(what).isEqualTo(answer);
      }
      assertThat(client.awaitClosed()).isEqualTo(RawClient.CLOSED);
    }
    Await.until(metric, 30, () -> broker.scrape().value(metric) == before + 1);
  }

  @Test
  void shouldAnswerPubrelOfAnUnknownIdentifier() {
    try (RawClient mqtt5 = RawClient.openConnected(broker.mqtt(), 5, anyId(), 60);
        RawClient mqtt3 = RawClient.openConnected(broker.mqtt(), 4, anyId(), 60)) {
      assertThat(mqtt5.send("6202 0007").next()).matches("70..000792.*");
      assertThat(mqtt3.send("6202 0007").next()).isEqualTo("70020007");
      assertThat(mqtt5.send("c000").next()).isEqualTo("d000");
    }
  }

  @Test
  void shouldDisconnectOnAnIllFormedFilter() {
    try (RawClient client = RawClient.openConnected(broker.mqtt(), 5, anyId(), 60)) {
      assertThat(client.send("820c 0001 00 0001 61 00 0002 6123 00").next()).matches("e0..81.*");
    }
  }

  @Test
  void shouldIgnorePacketsAfterDisconnect() {
    double before = broker.scrape().sum("fjordmq_messages_received_total");
    try (RawClient client = RawClient.openConnected(broker.mqtt(), 5, anyId(), 60)) {
      assertThat(client.send("e000 3004 0001 61 00 3206 0001 61 0001 00").next())
          .isEqualTo(RawClient.CLOSED);
    }
    assertThat(broker.scrape().sum("fjordmq_messages_received_total")).isEqualTo(before);
  }

  @Test
  void shouldAcceptAPacketSentByteByByte() {
    byte[] bytes = RawClient.connectPacket(5, anyId(), 60);
    try (RawClient client = new RawClient(broker.mqtt())) {
      for (byte one : bytes) {
        client.send(new byte[] {one});
      }
      assertThat(client.next()).matches("20..0000.*");
    }
  }

  private static String closed(String reasonCode) {
    String label =
        switch (reasonCode) {
          case "81" -> "malformed_packet";
          case "82" -> "protocol_error";
          case "90" -> "topic_name_invalid";
          case "94" -> "topic_alias_invalid";
          case "95" -> "packet_too_large";
          default -> throw new IllegalArgumentException(reasonCode);
        };
    return "fjordmq_connections_closed_total{reason=\"" + label + "\"}";
  }

  private static String anyId() {
    return "bad-" + UUID.randomUUID();
  }
}
