package io.fjordmq.broker.chaos;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Subscribes to all publishers after each connect, without a persistent session, and records every
 * message it receives.
 */
final class LiveListener {
  private final History history;
  private final String name;
  private final LiveClient client;
  private final Map<String, Integer> highest = new ConcurrentHashMap<>();
  private volatile boolean subscribed;

  LiveListener(String name, int node, History history) {
    this.name = name;
    this.history = history;
    this.client =
        new LiveClient(
            name,
            node,
            history,
            this::subscribe,
            publish -> {
              ChaosMessage message = ChaosMessage.of(publish);
              history.add(
                  millis ->
                      new HistoryEvent.Received(
                          millis, name, message.publisher(), message.number()));
              highest.merge(message.publisher(), message.number(), Math::max);
            });
  }

  String name() {
    return name;
  }

  void start() {
    client.start();
  }

  private void subscribe() {
    subscribed = false;
    client
        .mqtt()
        .subscribeWith()
        .topicFilter("chaos/+")
        .qos(MqttQos.EXACTLY_ONCE)
        .send()
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                history.add(
                    millis -> new HistoryEvent.Live(millis, HistoryEvent.Step.SUBSCRIBED, name, 0));
                subscribed = true;
              } else {
                history.note(name + " was refused: " + failure);
                client.mqtt().disconnect();
              }
            });
  }

  /** Whether it has received everything up to this number of that publisher. */
  boolean hasAll(String publisher, int number) {
    return !subscribed || !client.isConnected() || highest.getOrDefault(publisher, -1) >= number;
  }

  void close() {
    client.close();
  }
}
