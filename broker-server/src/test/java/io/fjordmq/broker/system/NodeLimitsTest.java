package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The limits of docs/LIMITS.md that need the stores and sockets of a node: the response to the
 * client and the values of {@code /metrics}.
 */
@Tag("slow")
class NodeLimitsTest {
  private static final String NO_SUBSCRIBERS = "4003000110";
  private static final String STORED = "40020001";
  private static final String REFUSED = "4003000197";
  private static final String LIMITS = "fjordmq_limits_reached_total{limit=\"%s\",tenant=\"\"}";

  @TempDir Path directory;

  private BrokerUnderTest startBroker(String configuration, String... environment) {
    List<String> wrapper =
        environment.length == 0 ? List.of() : List.of("env", String.join(" ", environment));
    return BrokerUnderTest.startIn(directory, configuration, wrapper);
  }

  /** QoS 1 with identifier 1, to a topic of one letter. */
  private static String publish(RawClient client, boolean retain, String topic, int payload) {
    int remaining = 2 + topic.length() + 2 + 1 + payload;
    String length =
        remaining < 128
            ? "%02x".formatted(remaining)
            : "%02x%02x".formatted(remaining & 0x7F | 0x80, remaining >> 7);
    String name = "%02x".formatted((int) topic.charAt(0));
    String type = retain ? "33" : "32";
    return client.send(type + length + "0001" + name + "0001" + "00" + "78".repeat(payload)).next();
  }

  /** Has a persistent session with the filter "a" and QoS 1, and is away. */
  private static void createOfflineInbox(BrokerUnderTest broker) {
    try (RawClient client = new RawClient(broker.mqtt())) {
      assertThat(connectPersistent(client)).isEqualTo("0000");
      assertThat(client.send("82 07 0001 00 0001 61 01").next()).isEqualTo("900400010001");
      assertThat(client.send("e0 02 00 00").next()).isEqualTo(RawClient.CLOSED);
    }
  }

  /** Session Present and the reason code of the CONNACK. */
  private static String connectPersistent(RawClient client) {
    String connect = "10 13 0004 4d515454 05 00 0000 05 11 00000e10 0001 73";
    return client.send(connect).next().substring(4, 8);
  }

  @Test
  void shouldRefuseRetainedMessagesBeyondTheLimitsOfATenant() {
    String configuration =
        """
        tenantConfig:
          maxRetainedMessages: 2
          maxRetainedBytes: 2000
        """;
    try (BrokerUnderTest broker = startBroker(configuration);
        RawClient client = RawClient.openConnected(broker.mqtt(), 5, "c", 0)) {
      assertThat(publish(client, true, "a", 1)).isEqualTo(NO_SUBSCRIBERS);
      assertThat(publish(client, true, "b", 1)).isEqualTo(NO_SUBSCRIBERS);
      assertThat(publish(client, true, "c", 1)).as("a third message").isEqualTo(REFUSED);
      assertThat(publish(client, true, "a", 3_000)).as("too many bytes").isEqualTo(REFUSED);
      Scrape metrics = broker.scrape();
      assertThat(metrics.value(LIMITS.formatted("retained_messages"))).isEqualTo(1);
      assertThat(metrics.value(LIMITS.formatted("retained_bytes"))).isEqualTo(1);
    }
  }

  @Test
  void shouldDropTheOldestMessagesOfAFullInbox() {
    String configuration =
        """
        retainConfig:
          maxMessages: 1
        inboxConfig:
          limits:
            maxMessages: 2
            maxBytes: 2 KiB
        """;
    try (BrokerUnderTest broker = startBroker(configuration);
        RawClient publisher = RawClient.openConnected(broker.mqtt(), 5, "p", 0)) {
      createOfflineInbox(broker);
      for (int payload = 1; payload <= 3; payload++) {
        assertThat(publish(publisher, false, "a", payload)).isEqualTo(STORED);
      }
      String dropped = "fjordmq_messages_dropped_total{at=\"inbox\",reason=\"inbox_full\"}";
      assertThat(broker.scrape().value(dropped)).as("the first of three").isEqualTo(1);
      assertThat(publish(publisher, false, "a", 1_500)).isEqualTo(STORED);
      assertThat(broker.scrape().value(dropped)).isEqualTo(2);
      assertThat(publish(publisher, false, "a", 1_600)).isEqualTo(STORED);
      assertThat(broker.scrape().value(dropped)).as("one for the bytes, too").isEqualTo(4);
      assertThat(broker.scrape().sum("fjordmq_messages_dropped_total")).as("once").isEqualTo(4);
      try (RawClient client = new RawClient(broker.mqtt())) {
        assertThat(connectPersistent(client)).isEqualTo("0100");
        assertThat(client.next()).hasSizeGreaterThan(3_200).endsWith("78".repeat(1_600));
      }

      assertThat(publish(publisher, true, "r", 1)).isEqualTo(NO_SUBSCRIBERS);
      assertThat(publish(publisher, true, "s", 1)).as("a second retained").isEqualTo(REFUSED);
      assertThat(broker.scrape().value(LIMITS.formatted("retained_messages"))).isEqualTo(1);
    }
  }

  @Test
  void shouldRefuseMessagesForAFullInboxAndConnectionsBeyondTheLimit() {
    String configuration =
        """
        inboxConfig:
          limits:
            maxMessages: 1
            whenFull: refuse
        """;
    String two = "FJORDMQ_MQTTSERVERCONFIG__TCPLISTENER__MAXCONNECTIONS=2";
    try (BrokerUnderTest broker = startBroker(configuration, two);
        RawClient publisher = RawClient.openConnected(broker.mqtt(), 5, "p", 0)) {
      createOfflineInbox(broker);
      assertThat(publish(publisher, false, "a", 1)).isEqualTo(STORED);
      assertThat(publish(publisher, false, "a", 1)).isEqualTo(REFUSED);
      assertThat(broker.scrape().value("fjordmq_inbox_outcomes_total{outcome=\"refused_full\"}"))
          .isEqualTo(1);

      try (RawClient second = RawClient.openConnected(broker.mqtt(), 5, "q", 0);
          RawClient third = new RawClient(broker.mqtt())) {
        assertThat(third.next()).isEqualTo(RawClient.CLOSED);
        String refused = "fjordmq_connections_refused_total{reason=\"too_many_connections\"}";
        assertThat(broker.scrape().value(refused)).isEqualTo(1);
        assertThat(second.send("c000").next()).isEqualTo("d000");
      }
    }
  }
}
