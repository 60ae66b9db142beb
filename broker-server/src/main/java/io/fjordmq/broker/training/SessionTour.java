package io.fjordmq.broker.training;

import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Exercises the other operations of clients: subscribing with wildcards and to shared
 * subscriptions, fetching retained messages, taking over a session, resuming a session with queued
 * messages, and losing the connection.
 */
final class SessionTour {
  private static final byte[] PAYLOAD = "21.5".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NOTHING = {};
  private static final int QUEUED_MESSAGES = 8;
  private static final int DELIVERY_SECONDS = 20;

  private final EventLoopGroup loops;
  private final InetSocketAddress broker;

  SessionTour(EventLoopGroup loops, InetSocketAddress broker) {
    this.loops = loops;
    this.broker = broker;
  }

  /**
   * Runs the tour with one client and its publisher.
   *
   * @param number makes the client identifiers and topics differ from those of other tours
   * @throws IllegalStateException if the broker does not do what the standard requires
   */
  void run(int number, MqttVersion version) {
    String topic = "training/tour/" + number;
    Semaphore delivered = new Semaphore(0);
    TrainingClient publisher = connect("tour-publisher-" + number, version, false, delivered);
    publisher.publishRetained(topic + "/retained", PAYLOAD);
    publisher.ping();

    String clientId = "tour-" + number;
    TrainingClient client = connect(clientId, version, true, delivered);
    client.subscribe(topic + "/#", MqttQoS.AT_LEAST_ONCE);
    awaitDelivered(delivered, 1);
    client.subscribe("training/+/" + number + "/none", MqttQoS.AT_MOST_ONCE);
    client.unsubscribe("training/+/" + number + "/none");
    client.subscribe("$share/tour/" + topic + "/shared", MqttQoS.EXACTLY_ONCE);

    TrainingClient taker = connect(clientId, version, true, delivered);
    client.awaitClosed();
    taker.disconnect();
    for (MqttQoS qos : List.of(MqttQoS.AT_LEAST_ONCE, MqttQoS.EXACTLY_ONCE)) {
      for (int i = 0; i < QUEUED_MESSAGES; i++) {
        publisher.publish(topic + "/queued", qos, PAYLOAD);
      }
    }

    TrainingClient resumed = connect(clientId, version, true, delivered);
    if (!resumed.sessionPresent()) {
      throw new IllegalStateException("client " + clientId + ": CONNACK without session present");
    }
    awaitDelivered(delivered, 2 * QUEUED_MESSAGES);
    resumed.unsubscribe(topic + "/#");
    resumed.abort();
    connect(clientId, version, false, delivered).disconnect(); // ends the session
    publisher.publishRetained(topic + "/retained", NOTHING);
    publisher.disconnect();
  }

  private TrainingClient connect(
      String clientId, MqttVersion version, boolean persistent, Semaphore delivered) {
    return new TrainingClient(
        loops,
        broker,
        new TrainingClient.Identity(clientId, version, persistent),
        delivered::release);
  }

  private static void awaitDelivered(Semaphore delivered, int messages) {
    try {
      if (!delivered.tryAcquire(messages, DELIVERY_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "fewer than " + messages + " messages delivered within " + DELIVERY_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
