package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Topic;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.slow.SlowSubscriptions;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long it takes to deliver messages to a client: until it acknowledges them or, with
 * QoS 0, until they have left the memory queue. To keep memory and time small, one QoS 1 or 2
 * message is measured at a time; acknowledgements arrive in the order of the messages, so the next
 * one also shows that an earlier one was late. Messages that were accepted before the client
 * connected, and messages that may have been retained, are not late because of the client. Only
 * used on the event loop.
 */
final class SubscriberLatency {
  /** The client that receives the messages. */
  interface Client {
    String tenant();

    String clientId();

    /** The wall clock time. */
    long nowMillis();

    /** When the client got its CONNACK, by the same clock; 0 while it is not connected. */
    long connectedAtMillis();

    SlowSubscriptions slowSubscriptions();
  }

  private static final long NONE = -1;

  private final Client client;
  private long sequence = NONE;
  private long acceptedAtMillis;
  private @Nullable Topic topic;

  SubscriberLatency(Client client) {
    this.client = client;
  }

  /** Called when a QoS 1 or 2 message is sent. */
  void onSent(long sent, Delivery delivery) {
    if (sequence == NONE && isMeasured(delivery)) {
      sequence = sent;
      acceptedAtMillis = delivery.message().acceptedAtMillis();
      topic = delivery.message().topic();
    }
  }

  private boolean isMeasured(Delivery delivery) {
    return !delivery.retain()
        && delivery.message().acceptedAtMillis() >= client.connectedAtMillis();
  }

  /** Called when a message has been acknowledged. */
  void onAcknowledged(long acknowledged) {
    Topic measured = topic;
    if (acknowledged != sequence || measured == null) {
      return;
    }
    sequence = NONE;
    topic = null;
    report(measured, acceptedAtMillis, client.nowMillis());
  }

  /**
   * Called when a QoS 0 message that has waited in memory is sent.
   *
   * @param nowMillis the current time
   */
  void onSentAfterWaiting(Delivery delivery, long nowMillis) {
    if (isMeasured(delivery)) {
      Message message = delivery.message();
      report(message.topic(), message.acceptedAtMillis(), nowMillis);
    }
  }

  private void report(Topic measured, long acceptedAt, long nowMillis) {
    client
        .slowSubscriptions()
        .report(client.tenant(), client.clientId(), measured, nowMillis - acceptedAt, nowMillis);
  }
}
