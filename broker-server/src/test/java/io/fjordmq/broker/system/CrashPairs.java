package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * QoS 1 publishers, each with its own subscriber, all with persistent sessions, publishing as fast
 * as they are acknowledged: the background load of a test.
 */
final class CrashPairs implements AutoCloseable {
  private static final int DRAIN_SECONDS = 90;

  private final List<CrashPublisher> publishers = new ArrayList<>();
  private final List<CrashSubscriber> subscribers = new ArrayList<>();

  /** Connected to the nodes in turn, a subscriber to the one after that of its publisher. */
  CrashPairs(int count, List<BrokerUnderTest> nodes) {
    for (int i = 0; i < count; i++) {
      CrashPublisher publisher =
          new CrashPublisher(port(nodes, i), "pair-" + i, MqttQos.AT_LEAST_ONCE);
      CrashSubscriber subscriber = new CrashSubscriber(port(nodes, i + 1), "inbox-of-" + i);
      publishers.add(publisher);
      subscribers.add(subscriber);
      subscriber.subscribe(publisher.topic());
    }
  }

  private static SharedBroker.Port port(List<BrokerUnderTest> nodes, int number) {
    return nodes.get(number % nodes.size()).mqtt();
  }

  List<CrashPublisher> publishers() {
    return List.copyOf(publishers);
  }

  List<CrashSubscriber> subscribers() {
    return List.copyOf(subscribers);
  }

  void start() {
    publishers.forEach(CrashPublisher::start);
  }

  /** Stops publishing and waits until everything has been answered. */
  void finish() {
    publishers.forEach(CrashPublisher::finish);
  }

  /** Messages of all publishers. */
  int acknowledgedCount() {
    return publishers.stream().mapToInt(CrashPublisher::acknowledgedCount).sum();
  }

  /** Asserts that every acknowledged message arrives, in order. */
  void assertArrived() {
    for (int i = 0; i < publishers.size(); i++) {
      assertArrived(subscribers.get(i), publishers.get(i));
    }
  }

  static void assertArrived(CrashSubscriber subscriber, CrashPublisher publisher) {
    Await.until(
        "everything of " + publisher.topic() + " for " + subscriber.name(),
        DRAIN_SECONDS,
        () ->
            Set.copyOf(subscriber.received(publisher.topic()))
                .containsAll(publisher.acknowledged()));
    assertThat(subscriber.distinct(publisher.topic()))
        .as("%s from %s, in order", subscriber.name(), publisher.topic())
        .isSorted();
  }

  /** No publisher received an error for a message. */
  void assertNothingRefused() {
    publishers.forEach(
        publisher -> assertThat(publisher.refused()).as(publisher.topic()).isEmpty());
  }

  @Override
  public void close() {
    publishers.forEach(CrashPublisher::close);
    subscribers.forEach(CrashSubscriber::close);
  }
}
