package io.fjordmq.broker.system;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.lifecycle.Mqtt5ClientDisconnectedContext;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A publisher of 0, 1, 2, … with QoS 1 and the one subscriber of its topic, both with persistent
 * sessions. Either of them that loses its node connects to the next one. Records the longest time
 * each was without service.
 */
final class PublisherSubscriberPair {
  private static final long SESSION_SECONDS = 3_600;
  private static final int KEEP_ALIVE_SECONDS = 3;
  private static final int IN_FLIGHT = 20;
  private static final int MAX_PAUSE_MILLIS = 100;

  private final String topic;
  private final List<BrokerUnderTest> nodes;
  private final Mqtt5AsyncClient publisher;
  private final Mqtt5AsyncClient subscriber;
  private final Semaphore permits = new Semaphore(IN_FLIGHT);
  private final Queue<Integer> received = new ConcurrentLinkedQueue<>();
  private final Queue<String> refusals = new ConcurrentLinkedQueue<>();
  private final AtomicInteger acknowledged = new AtomicInteger();
  private final AtomicInteger moves = new AtomicInteger();
  private final AtomicLong longestAckNanos = new AtomicLong();
  private final AtomicLong longestSilenceNanos = new AtomicLong();
  private volatile long lastArrivalNanos;
  private volatile boolean ending;
  private int published;

  /**
   * @param publisherAt index of the node that the publisher connects to first
   * @param subscriberAt index of the node that the subscriber connects to first
   */
  PublisherSubscriberPair(
      String name, List<BrokerUnderTest> nodes, int publisherAt, int subscriberAt) {
    this.topic = "pairs/" + name;
    this.nodes = nodes;
    this.publisher = client("publisher-" + name, publisherAt);
    this.subscriber = client("subscriber-" + name, subscriberAt);
    subscriber.publishes(MqttGlobalPublishFilter.ALL, this::recordArrival);
  }

  private Mqtt5AsyncClient client(String id, int firstNode) {
    int[] node = {firstNode};
    return Mqtt5Client.builder()
        .identifier(id)
        .serverHost("127.0.0.1")
        .serverPort(nodes.get(firstNode).port())
        .addDisconnectedListener(
            context -> {
              if (ending) {
                return;
              }
              moves.incrementAndGet();
              node[0] = (node[0] + 1) % nodes.size();
              ((Mqtt5ClientDisconnectedContext) context)
                  .getReconnector()
                  .reconnect(true)
                  .delay(
                      ThreadLocalRandom.current().nextInt(MAX_PAUSE_MILLIS), TimeUnit.MILLISECONDS)
                  .transportConfig()
                  .serverHost("127.0.0.1")
                  .serverPort(nodes.get(node[0]).port())
                  .applyTransportConfig()
                  .connectWith()
                  .cleanStart(false)
                  .keepAlive(KEEP_ALIVE_SECONDS)
                  .sessionExpiryInterval(SESSION_SECONDS)
                  .applyConnect();
            })
        .buildAsync();
  }

  /** Connects both and subscribes. */
  void begin() {
    for (Mqtt5AsyncClient client : List.of(subscriber, publisher)) {
      Mqtt5Session.await(
          client
              .connectWith()
              .cleanStart(true)
              .keepAlive(KEEP_ALIVE_SECONDS)
              .sessionExpiryInterval(SESSION_SECONDS)
              .send());
    }
    Mqtt5Session.await(
        subscriber.subscribeWith().topicFilter(topic).qos(MqttQos.AT_LEAST_ONCE).send());
  }

  /** Publishes the next number unless too many are unacknowledged. Call from one thread only. */
  void publishNext() {
    if (!permits.tryAcquire()) {
      return;
    }
    int number = published++;
    long offeredNanos = System.nanoTime();
    publisher
        .publishWith()
        .topic(topic)
        .qos(MqttQos.AT_LEAST_ONCE)
        .payload(Integer.toString(number).getBytes(StandardCharsets.UTF_8))
        .send()
        .whenComplete(
            (result, failure) -> {
              Throwable fault = failure != null ? failure : result.getError().orElse(null);
              if (fault == null) {
                acknowledged.incrementAndGet();
                longestAckNanos.accumulateAndGet(System.nanoTime() - offeredNanos, Math::max);
              } else {
                refusals.add(number + ": " + fault);
              }
              permits.release();
            });
  }

  private void recordArrival(Mqtt5Publish publish) {
    long now = System.nanoTime();
    if (lastArrivalNanos != 0) {
      longestSilenceNanos.accumulateAndGet(now - lastArrivalNanos, Math::max);
    }
    lastArrivalNanos = now;
    received.add(Integer.valueOf(Mqtt5Session.text(publish)));
  }

  int published() {
    return published;
  }

  int acknowledged() {
    return acknowledged.get();
  }

  /** Acknowledgements with an error code. */
  List<String> refusals() {
    return List.copyOf(refusals);
  }

  /** The received numbers, without duplicates. */
  List<Integer> received() {
    return received.stream().distinct().toList();
  }

  /** Number of times a client moved to another node. */
  int moves() {
    return moves.get();
  }

  /** Resets the times without service. */
  void resetTimes() {
    longestAckNanos.set(0);
    longestSilenceNanos.set(0);
  }

  /** Longest time from a publish call to its PUBACK. */
  long longestAckMillis() {
    return TimeUnit.NANOSECONDS.toMillis(longestAckNanos.get());
  }

  /** Longest time between two messages received by the subscriber. */
  long longestSilenceMillis() {
    return TimeUnit.NANOSECONDS.toMillis(longestSilenceNanos.get());
  }

  void end() {
    ending = true;
    publisher.disconnect();
    subscriber.disconnect();
  }
}
