package io.fjordmq.broker.session;

import io.fjordmq.api.Qos;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Dialect;
import io.fjordmq.broker.protocol.ProtocolViolation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The QoS 1 and 2 messages that were sent to the client and are not settled: handles its PUBACKs,
 * PUBRECs and PUBCOMPs (MQTT 5.0 §4.3), and remembers which messages other members of a share get
 * if the connection ends. Event loop only.
 */
final class OutboundExchanges {
  /** The client that gets the messages. */
  interface Client {
    Dialect dialect();

    PacketWriter writer();

    SessionObserver observer();

    /** Counts messages that were dropped. */
    void recordDropped(DropReason reason, long count);
  }

  private static final int PUBREL = 0x62;
  private static final int PACKET_IDENTIFIER_NOT_FOUND = 0x92;
  private static final int FIRST_ERROR = 0x80;

  private final Client client;
  private final InflightWindow window;
  // Unacknowledged QoS 1 messages of shares: other members get them if this connection ends.
  private @Nullable Map<Long, Delivery> sharedInflight;
  private int reported;

  OutboundExchanges(Client client, InflightWindow window) {
    this.client = client;
    this.window = window;
  }

  /**
   * A message is about to be sent.
   *
   * @return its packet identifier
   */
  int begin(long sequence, Delivery delivery) {
    boolean atLeastOnce = delivery.qos() == Qos.AT_LEAST_ONCE;
    window.open(
        sequence, atLeastOnce ? InflightWindow.AWAITING_PUBACK : InflightWindow.AWAITING_PUBREC);
    if (atLeastOnce && delivery.isShared()) {
      if (sharedInflight == null) {
        sharedInflight = new LinkedHashMap<>();
      }
      sharedInflight.put(sequence, delivery);
    }
    return InflightWindow.packetIdentifier(sequence);
  }

  /** Handles a PUBACK. */
  void onPubAck(int packetIdentifier, int reasonCode) {
    settle(packetIdentifier, InflightWindow.AWAITING_PUBACK, reasonCode);
  }

  /**
   * Handles a PUBREC.
   *
   * @param source has to record it before the PUBREL
   */
  void onPubRec(int packetIdentifier, int reasonCode, DeliverySource source) {
    if (reasonCode >= FIRST_ERROR) {
      // MQTT 5.0 §4.3.3: an error ends the exchange, and there is no PUBREL.
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
        // The first PUBREC is being recorded; its PUBREL acknowledges this one too.
      }
      default ->
          throw new ProtocolViolation(
              CloseReason.PROTOCOL_ERROR, "PUBREC for QoS 1 message " + packetIdentifier);
    }
  }

  /** Handles a PUBCOMP. */
  void onPubComp(int packetIdentifier) {
    settle(packetIdentifier, InflightWindow.AWAITING_PUBCOMP, 0);
  }

  private void settle(int packetIdentifier, byte expected, int reasonCode) {
    long sequence = window.sequenceOf(packetIdentifier);
    if (sequence < 0) {
      return; // settled already: the client repeats it after a lost connection
    }
    if (window.state(sequence) != expected) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR,
          "unexpected acknowledgement of packet identifier " + packetIdentifier);
    }
    if (reasonCode >= FIRST_ERROR) {
      client.recordDropped(DropReason.REFUSED_BY_CLIENT, 1);
    }
    window.settle(sequence);
    if (sharedInflight != null) {
      sharedInflight.remove(sequence);
    }
  }

  /** Sends the PUBREL, after the client's PUBREC was recorded. */
  void sendPubRel(long sequence) {
    window.advance(sequence, InflightWindow.AWAITING_PUBCOMP);
    reply(PUBREL, InflightWindow.packetIdentifier(sequence), 0);
  }

  private void reply(int firstByte, int packetIdentifier, int reasonCode) {
    client.dialect().writeReply(client.writer(), firstByte, packetIdentifier, reasonCode);
  }

  /** Reports changes of the number of messages in flight to the metrics. */
  void report() {
    report(window.inflight());
  }

  private void report(int inflight) {
    if (inflight != reported) {
      client.observer().addInflight(inflight - reported);
      reported = inflight;
    }
  }

  /**
   * The connection has ended.
   *
   * @param toRedistribute gets the messages that other members of the shares have to get instead
   */
  void end(List<Delivery> toRedistribute) {
    if (sharedInflight != null) {
      toRedistribute.addAll(sharedInflight.values());
      sharedInflight = null;
    }
    report(0);
  }
}
