package io.fjordmq.broker.training;

import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.mqtt.MqttQoS;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A publisher and its subscriber. Each delivery triggers the next PUBLISH, so the broker sets the
 * pace, and a given number of messages is always in flight.
 */
final class TrainingPair {
  private static final int PAYLOAD_BYTES = 256;

  private final String topic;
  private final MqttQoS qos;
  private final byte[] payload = new byte[PAYLOAD_BYTES];
  private final TrainingClient publisher;
  private final TrainingClient subscriber;
  private final AtomicLong received = new AtomicLong();

  /** Set by the thread that ends the training, read by event loops. */
  private volatile boolean ended;

  /**
   * Connects both clients and subscribes.
   *
   * @param publisherNode the node of the publisher
   * @param subscriberNode the node of the subscriber
   */
  TrainingPair(
      EventLoopGroup loops,
      InetSocketAddress publisherNode,
      InetSocketAddress subscriberNode,
      TrainingClient.Identity identity,
      MqttQoS qos) {
    this.topic = "training/pair/" + identity.clientId();
    this.qos = qos;
    this.publisher =
        new TrainingClient(
            loops,
            publisherNode,
            new TrainingClient.Identity(
                identity.clientId() + "-publisher", identity.version(), identity.persistent()),
            () -> {});
    this.subscriber = new TrainingClient(loops, subscriberNode, identity, this::onMessage);
    subscriber.subscribe(topic, qos);
  }

  void start(int inFlight) {
    for (int i = 0; i < inFlight; i++) {
      publish();
    }
  }

  private void onMessage() {
    received.incrementAndGet();
    if (!ended) {
      publish();
    }
  }

  private void publish() {
    publisher.publish(topic, qos, payload);
  }

  long received() {
    return received.get();
  }

  /** Stops publishing and disconnects both clients. */
  void end() {
    ended = true;
    publisher.disconnect();
    subscriber.disconnect();
  }
}
