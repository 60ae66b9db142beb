package io.fjordmq.broker.session;

import static io.fjordmq.broker.session.OutboundClient.delivery;
import static io.fjordmq.broker.session.OutboundClient.message;
import static io.fjordmq.broker.session.OutboundClient.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.DeliveryResult;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests when messages are sent, and the effect of the client's acknowledgements. */
@ExtendWith(LeakDetector.class)
class OutboundPublishesTest {
  private static final SessionSettings TWO_IN_FLIGHT = Settings.with("maxInflight", 2);
  private static final int ERROR = 0x80;

  private OutboundClient client = new OutboundClient(TWO_IN_FLIGHT);
  private OutboundPublishes outbound = new OutboundPublishes(client, null);

  @AfterEach
  void close() {
    outbound.end();
    assertThat(client.observer.inflight).hasValue(0);
    assertThat(client.observer.queued).hasValue(0);
    client.close();
  }

  private void useReceiveMaximum(int most) {
    client.close();
    client = new OutboundClient(TWO_IN_FLIGHT, most);
    outbound = new OutboundPublishes(client, null);
  }

  private void deliver(Qos qos, String... texts) {
    for (String text : texts) {
      assertThat(outbound.deliver(delivery(qos, text))).isEqualTo(DeliveryResult.ACCEPTED);
    }
  }

  @Test
  void shouldSendNothingBeforeTheStart() {
    deliver(Qos.AT_MOST_ONCE, "x");
    deliver(Qos.AT_LEAST_ONCE, "y");
    outbound.pump();
    client.expect();
    outbound.start();
    client.expect("PUBLISH q0 a x", "PUBLISH q1 id=1 a y");
  }

  @Test
  void shouldSendTheNextMessageOnceOneIsAcknowledged() {
    outbound.start();
    deliver(Qos.AT_LEAST_ONCE, "1", "2", "3", "4");
    deliver(Qos.AT_MOST_ONCE, "behind");
    client.expect("PUBLISH q1 id=1 a 1", "PUBLISH q1 id=2 a 2");
    outbound.onPubAck(2, 0);
    outbound.onReadComplete();
    client.expect("PUBLISH q1 id=3 a 3");
    outbound.onPubAck(1, 0);
    outbound.onPubAck(3, 0);
    outbound.onReadComplete();
    client.expect("PUBLISH q1 id=4 a 4", "PUBLISH q0 a behind");
    outbound.onPubAck(4, 0);
    assertThat(outbound.window().inflight()).isZero();
  }

  @Test
  void shouldReportWhetherAReadCanHaveFreedCapacity() {
    outbound.start();
    assertThat(outbound.onReadComplete()).as("after the start").isTrue();
    assertThat(outbound.onReadComplete()).as("a client that only publishes").isFalse();
    deliver(Qos.AT_LEAST_ONCE, "1");
    outbound.pump();
    assertThat(outbound.onReadComplete()).as("after a message was sent").isTrue();
    outbound.onPubAck(1, 0);
    assertThat(outbound.onReadComplete()).as("after an acknowledgement").isTrue();
    assertThat(outbound.onReadComplete()).as("nothing since then").isFalse();
  }

  @Test
  void shouldReportTheLimitOnceEachTimeItHoldsBackMessages() {
    outbound.start();
    deliver(Qos.AT_LEAST_ONCE, "1", "2", "3", "4");
    outbound.pump();
    outbound.pump();
    assertThat(client.limits).containsExactly(Limit.INFLIGHT);
    outbound.onPubAck(1, 0);
    outbound.onPubAck(2, 0);
    outbound.onReadComplete();
    deliver(Qos.AT_LEAST_ONCE, "5");
    outbound.pump();
    assertThat(client.limits).containsExactly(Limit.INFLIGHT, Limit.INFLIGHT);
  }

  @Test
  void shouldNotReportALimitSetByTheClient() {
    useReceiveMaximum(1);
    outbound.start();
    deliver(Qos.AT_LEAST_ONCE, "1", "2");
    outbound.pump();
    client.expect("PUBLISH q1 id=1 a 1");
    assertThat(client.limits).isEmpty();
  }

  @Test
  void shouldMeasureSampledMessagesThatWereAcceptedWhileTheClientWasConnected() {
    outbound.start();
    client.connectedAt = 1_000;
    long sampled = nextSampled(1_000);
    client.now = sampled + 30;
    outbound.deliver(accepted(sampled, false));
    assertThat(client.observer.deliveredAfterMillis).containsExactly(30L);

    outbound.deliver(accepted(sampled, true)); // a retained message
    outbound.deliver(accepted(sampled + 1, false));
    client.connectedAt = sampled + 1;
    outbound.deliver(accepted(sampled, false)); // waited for the client to connect
    assertThat(client.observer.deliveredAfterMillis).hasSize(1);

    client.connectedAt = sampled;
    client.now = sampled - 2; // the clock of the publisher's node is slightly ahead
    outbound.deliver(accepted(sampled, false));
    assertThat(client.observer.deliveredAfterMillis).containsExactly(30L, 0L);
  }

  @Test
  void shouldSampleOneOf64MillisecondsWhateverThePeriodOfThePublisher() {
    for (int period : new int[] {1, 10, 64, 1_000, 60_000}) {
      long now = 1_790_000_000_000L;
      int sampled = 0;
      for (int i = 0; i < 64_000; i++) {
        sampled += DeliveryLatency.isSampled(accepted(now, false).message()) ? 1 : 0;
        now += period;
      }
      assertThat(sampled).as("period %d ms", period).isBetween(900, 1_100);
    }
  }

  private static long nextSampled(long from) {
    long millis = from;
    while (!DeliveryLatency.isSampled(accepted(millis, false).message())) {
      millis++;
    }
    return millis;
  }

  private static Delivery accepted(long millis, boolean retain) {
    Message message =
        new Message(
            new Topic("a"),
            new byte[0],
            Qos.AT_MOST_ONCE,
            retain,
            MessageProperties.NONE,
            "publisher",
            millis,
            Message.NEVER);
    return new Delivery(message, Qos.AT_MOST_ONCE, retain, List.of(), null);
  }

  @Test
  void shouldWaitUntilTheChannelIsWritable() {
    outbound.start();
    client.wire.stopReading();
    while (client.writer().isWritable()) {
      deliver(Qos.AT_MOST_ONCE, "x".repeat(80));
      client.writer().flush();
    }
    deliver(Qos.AT_MOST_ONCE, "late");
    assertThat(client.observer.queued).hasValue(1);
    client.wire.readAgain();
    outbound.pump();
    client.writer().flush();
    List<String> packets = client.wire.readAll();
    assertThat(packets.get(packets.size() - 1)).isEqualTo("PUBLISH q0 a late");
    assertThat(client.observer.queued).hasValue(0);
  }

  @Test
  void shouldSendPubrelAfterPubrec() {
    outbound.start();
    deliver(Qos.EXACTLY_ONCE, "x");
    client.expect("PUBLISH q2 id=1 a x");
    outbound.onPubRec(1, 0);
    client.expect("PUBREL 1");
    outbound.onPubRec(1, 0);
    client.expect("PUBREL 1");
    outbound.onPubComp(1);
    assertThat(outbound.window().inflight()).isZero();
    outbound.onPubComp(1); // again, as after a lost connection
    client.expect();
  }

  @Test
  void shouldNotSendPubrelForAMessageThatTheClientRefused() {
    outbound.start();
    deliver(Qos.EXACTLY_ONCE, "x");
    outbound.onPubRec(1, ERROR);
    client.expect("PUBLISH q2 id=1 a x");
    assertThat(outbound.window().inflight()).isZero();
    assertThat(client.observer.dropped).containsOnly(Map.entry(DropReason.REFUSED_BY_CLIENT, 1L));
  }

  @Test
  void shouldAnswerAnUnknownPacketIdentifierWithNotFound() {
    outbound.start();
    outbound.onPubRec(7, 0);
    client.expect("PUBREL 7 92");
    outbound.onPubAck(7, 0);
    client.expect();
  }

  @Test
  void shouldRejectAcknowledgementsOfTheOtherQos() {
    outbound.start();
    deliver(Qos.AT_LEAST_ONCE, "1");
    deliver(Qos.EXACTLY_ONCE, "2");
    assertThatThrownBy(() -> outbound.onPubRec(1, 0)).isInstanceOf(ProtocolViolation.class);
    assertThatThrownBy(() -> outbound.onPubAck(2, 0)).isInstanceOf(ProtocolViolation.class);
    assertThatThrownBy(() -> outbound.onPubComp(2))
        .isInstanceOfSatisfying(
            ProtocolViolation.class,
            found -> assertThat(found.reason()).isEqualTo(CloseReason.PROTOCOL_ERROR));
  }

  @Test
  void shouldDropExpiredAndTooLargeMessages() {
    Qos qos = Qos.AT_LEAST_ONCE;
    outbound.deliver(new Delivery(message(qos, "old", 2_000), qos, false, List.of(), null));
    deliver(qos, "x".repeat(100), "good");
    client.now = 2_000;
    outbound.start();
    client.expect("PUBLISH q1 id=1 a good");
    assertThat(client.observer.dropped)
        .containsOnly(
            Map.entry(DropReason.EXPIRED, 1L), Map.entry(DropReason.EXCEEDS_CLIENT_LIMIT, 1L));
  }

  @Test
  void shouldLeaveUnacknowledgedMessagesOfSharesToOtherMembers() {
    outbound.start();
    List<Delivery> shares = List.of(shared("1"), shared("2"), shared("3"));
    shares.forEach(outbound::deliver);
    deliver(Qos.AT_LEAST_ONCE, "mine");
    outbound.onPubAck(1, 0);
    assertThat(outbound.end()).containsExactly(shares.get(1), shares.get(2));
    assertThat(client.observer.dropped).containsOnly(Map.entry(DropReason.CONNECTION_ENDED, 1L));
  }

  @Test
  void shouldAcceptOnlyQos0DeliveriesWithAnInbox() {
    OutboundPublishes persistent = new OutboundPublishes(client, client.attach());
    persistent.start();
    persistent.deliver(delivery(Qos.AT_MOST_ONCE, "x"));
    client.expect("PUBLISH q0 a x");
    Delivery stored = delivery(Qos.AT_LEAST_ONCE, "y");
    assertThatThrownBy(() -> persistent.deliver(stored)).isInstanceOf(IllegalStateException.class);
    persistent.end();
  }
}
