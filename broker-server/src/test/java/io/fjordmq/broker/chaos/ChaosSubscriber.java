package io.fjordmq.broker.chaos;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Writes down everything it gets. Its session is persistent. */
final class ChaosSubscriber {
  private final String name;
  private final History history;
  private final Clients clients;
  private final Map<String, Integer> highest = new ConcurrentHashMap<>();
  private Mqtt5AsyncClient client;
  private int node;
  private volatile boolean ended;

  ChaosSubscriber(Clients clients, History history, String name, int node) {
    this.clients = clients;
    this.history = history;
    this.name = name;
    this.node = node;
    this.client = build();
  }

  private Mqtt5AsyncClient build() {
    Mqtt5AsyncClient made = clients.build("subscriber-" + name, node, () -> ended);
    made.publishes(MqttGlobalPublishFilter.ALL, this::note);
    return made;
  }

  String name() {
    return name;
  }

  /** Connects with a new session and subscribes to all publishers. */
  void begin() {
    Clients.connect(client, true);
    Clients.await(
        "subscribing " + name,
        client.subscribeWith().topicFilter("chaos/+").qos(MqttQos.EXACTLY_ONCE).send());
  }

  /** Disconnects and goes to another node, where it resumes its session. */
  void move() {
    if (client.getState().isConnected()) {
      client.disconnect();
    }
  }

  /** Leaves before anything was sent to it; its session stays. */
  void leave() {
    ended = true;
    Clients.await(name + " leaves", client.disconnect());
  }

  /** Comes back to its session, at another node. */
  void comeBack(int toNode) {
    node = toNode;
    ended = false;
    client = build();
    Clients.connect(client, false);
  }

  /** The highest number it has got of a publisher; -1 if none. */
  int highest(String publisher) {
    return highest.getOrDefault(publisher, -1);
  }

  private void note(Mqtt5Publish publish) {
    String topic = publish.getTopic().toString();
    String publisher = topic.substring(topic.indexOf('/') + 1);
    int number = Integer.parseInt(new String(publish.getPayloadAsBytes(), StandardCharsets.UTF_8));
    history.add(millis -> new HistoryEvent.Received(millis, name, publisher, number));
    highest.merge(publisher, number, Math::max);
  }

  void close() {
    ended = true;
    client.disconnect();
  }
}
