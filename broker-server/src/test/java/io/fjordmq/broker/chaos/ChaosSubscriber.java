package io.fjordmq.broker.chaos;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/** Records every message it receives. Its session is persistent. */
final class ChaosSubscriber {
  private final String name;
  private final History history;
  private final IntFunction<ChaosClient> clientAt;
  private final Map<String, Integer> highest = new ConcurrentHashMap<>();
  private ChaosClient client;

  /**
   * @param clientAt creates its client, given the first node
   */
  ChaosSubscriber(IntFunction<ChaosClient> clientAt, History history, String name, int node) {
    this.clientAt = clientAt;
    this.history = history;
    this.name = name;
    this.client = createClient(node);
  }

  private ChaosClient createClient(int node) {
    ChaosClient made = clientAt.apply(node);
    made.mqtt().publishes(MqttGlobalPublishFilter.ALL, this::record);
    return made;
  }

  String name() {
    return name;
  }

  /** Connects with a new session and subscribes to all publishers. */
  void start() {
    client.connect(true);
    ChaosClient.await(
        "subscribing " + name,
        client.mqtt().subscribeWith().topicFilter("chaos/+").qos(MqttQos.EXACTLY_ONCE).send());
  }

  /** Disconnects and resumes its session at another node. */
  void move() {
    client.move();
  }

  /** Disconnects before anything was sent to it; its session remains. */
  void leave() {
    ChaosClient.await(name + " leaves", client.leave());
  }

  /** Resumes its session at another node. */
  void resume(int toNode) {
    client = createClient(toNode);
    client.connect(false);
  }

  /** The highest number it has received from a publisher; -1 if none. */
  int highest(String publisher) {
    return highest.getOrDefault(publisher, -1);
  }

  private void record(Mqtt5Publish publish) {
    ChaosMessage message = ChaosMessage.of(publish);
    String publisher = message.publisher();
    history.add(millis -> new HistoryEvent.Received(millis, name, publisher, message.number()));
    highest.merge(publisher, message.number(), Math::max);
  }

  void close() {
    client.leave();
  }
}
