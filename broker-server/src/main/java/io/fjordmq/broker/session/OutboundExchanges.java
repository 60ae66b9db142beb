package io.fjordmq.broker.session;

import io.fjordmq.api.Qos;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Dialect;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.telemetry.MessageSpan;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The QoS 1 and 2 messages that have been sent to the client but are not settled. Handles the
 * client's PUBACKs, PUBRECs and PUBCOMPs (MQTT 5.0 §4.3), and remembers which messages must go to
 * other members of a share if the connection ends. Only used on the event loop.
 */
final class OutboundExchanges {
  /** The client that receives the messages. */
  interface Client extends SubscriberLatency.Client {
    Dialect dialect();

    PacketWriter writer();

    SessionObserver observer();

    /** Counts dropped messages. */
    void recordDropped(Drop drop);
  }

  private static final int PUBREL = 0x62;
  private static final int PACKET_IDENTIFIER_NOT_FOUND = 0x92;
  private static final int FIRST_ERROR = 0x80;

  private final Client client;
  private final InflightWindow window;
  // Unacknowledged QoS 1 messages of shares, which go to other members if this connection ends.
  private @Nullable Map<Long, Delivery> sharedInflight;
  // The spans of traced messages that are not settled.
  private @Nullable Map<Long, MessageSpan> spans;
  private @Nullable SubscriberLatency latency; // null until the first message, as most are idle
  private int reported;

  OutboundExchanges(Client client, InflightWindow window) {
    this.client = client;
    this.window = window;
  }

  /** The measurement of latencies; null if it is switched off. */
  private @Nullable SubscriberLatency latency() {
    if (latency == null && client.slowSubscriptions().isEnabled()) {
      latency = new SubscriberLatency(client);
    }
    return latency;
  }

  /** Called when a QoS 0 message that has waited in memory is sent. */
  void onSentAfterWaiting(Delivery delivery, long nowMillis) {
    SubscriberLatency measured = latency();
    if (measured != null) {
      measured.onSentAfterWaiting(delivery, nowMillis);
    }
  }

  /**
   * Begins the exchange for a message that is about to be sent.
   *
   * @return the packet identifier of the message
   */
  int begin(long sequence, Delivery delivery) {
    boolean atLeastOnce = delivery.qos() == Qos.AT_LEAST_ONCE;
    window.open(
        sequence, atLeastOnce ? InflightWindow.AWAITING_PUBACK : InflightWindow.AWAITING_PUBREC);
    SubscriberLatency measured = latency();
    if (measured != null) {
      measured.onSent(sequence, delivery);
    }
    if (atLeastOnce && delivery.isShared()) {
      if (sharedInflight == null) {
        sharedInflight = new LinkedHashMap<>();
      }
      sharedInflight.put(sequence, delivery);
    }
    return InflightWindow.packetIdentifier(sequence);
  }

  /** Ends this span when the message is settled. */
  void trace(long sequence, MessageSpan span) {
    if (spans == null) {
      spans = new HashMap<>();
    }
    spans.put(sequence, span);
  }

  /** Handles a PUBACK. */
  void onPubAck(int packetIdentifier, int reasonCode) {
    settle(packetIdentifier, InflightWindow.AWAITING_PUBACK, reasonCode);
  }

  /**
   * Handles a PUBREC.
   *
   * @param source the source of the message, which must record the PUBREC before the PUBREL is sent
   */
  void onPubRec(int packetIdentifier, int reasonCode, DeliverySource source) {
    if (reasonCode >= FIRST_ERROR) {
      // An error ends the exchange without a PUBREL (MQTT 5.0 §4.3.3).
      settle(packetIdentifier, InflightWindow.AWAITING_PUBREC, reasonCode);
      return;
    }
    long sequence = window.sequenceOf(packetIdentifier);
    if (sequence < 0) {
      reply(PUBREL, packetIdentifier, PACKET_IDENTIFIER_NOT_FOUND);
      return;
    }
    switch (window.state(sequence)) {
      case InflightWindow.AWAITING_PUBREC -> {
        window.advance(sequence, InflightWindow.RELEASING);
        source.onPubRec(sequence);
      }
      case InflightWindow.AWAITING_PUBCOMP -> reply(PUBREL, packetIdentifier, 0);
      case InflightWindow.RELEASING -> {
        // The first PUBREC is still being recorded; its PUBREL also acknowledges this one.
      }
      default ->
          throw new ProtocolViolation(
              CloseReason.PROTOCOL_ERROR,
              "PUBREC is not allowed for the QoS 1 message with packet identifier "
                  + packetIdentifier);
    }
  }

  /** Handles a PUBCOMP. */
  void onPubComp(int packetIdentifier) {
    settle(packetIdentifier, InflightWindow.AWAITING_PUBCOMP, 0);
  }

  private void settle(int packetIdentifier, byte expected, int reasonCode) {
    long sequence = window.sequenceOf(packetIdentifier);
    if (sequence < 0) {
      return; // already settled; a client may repeat an acknowledgement after a lost connection
    }
    if (window.state(sequence) != expected) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR,
          "unexpected acknowledgement of packet identifier " + packetIdentifier);
    }
    if (reasonCode >= FIRST_ERROR) {
      client.recordDropped(Drop.unknown(DropReason.REFUSED_BY_CLIENT, 1));
    }
    window.settle(sequence);
    if (latency != null) {
      latency.onAcknowledged(sequence);
    }
    if (sharedInflight != null) {
      sharedInflight.remove(sequence);
    }
    if (spans != null) {
      endSpan(spans, sequence, reasonCode);
    }
  }

  private static void endSpan(Map<Long, MessageSpan> spans, long sequence, int reasonCode) {
    MessageSpan span = spans.remove(sequence);
    if (span != null) {
      span.end(reasonCode >= FIRST_ERROR ? DropReason.REFUSED_BY_CLIENT.label() : null);
    }
  }

  /** Sends the PUBREL after the client's PUBREC has been recorded. */
  void sendPubRel(long sequence) {
    window.advance(sequence, InflightWindow.AWAITING_PUBCOMP);
    reply(PUBREL, InflightWindow.packetIdentifier(sequence), 0);
  }

  private void reply(int firstByte, int packetIdentifier, int reasonCode) {
    client.dialect().writeReply(client.writer(), firstByte, packetIdentifier, reasonCode);
  }

  /** Reports the number of messages in flight to the metrics if it has changed. */
  void reportInflight() {
    reportInflight(window.inflight());
  }

  private void reportInflight(int inflight) {
    if (inflight != reported) {
      client.observer().addInflight(inflight - reported);
      reported = inflight;
    }
  }

  /**
   * Ends all exchanges after the connection has ended.
   *
   * @param toRedistribute the list to which the messages for other share members are added
   */
  void end(List<Delivery> toRedistribute) {
    if (sharedInflight != null) {
      toRedistribute.addAll(sharedInflight.values());
      sharedInflight = null;
    }
    if (spans != null) {
      spans.values().forEach(span -> span.end("connection_closed"));
      spans = null;
    }
    reportInflight(0);
  }
}
