package io.fjordmq.broker.system;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Records every number it receives, by topic. */
final class CrashSubscriber implements AutoCloseable {
  private final String name;
  private final Mqtt5AsyncClient client;
  private final Map<String, List<Integer>> received = new ConcurrentHashMap<>();

  /** Connects, resuming the session of that name if there is one. */
  CrashSubscriber(SharedBroker.Port port, String name) {
    this.name = name;
    this.client = CrashClient.build(port, name);
    client.publishes(MqttGlobalPublishFilter.ALL, this::record);
    CrashClient.connect(client, false);
  }

  String name() {
    return name;
  }

  void subscribe(String filter) {
    Mqtt5Session.await(client.subscribeWith().topicFilter(filter).qos(MqttQos.EXACTLY_ONCE).send());
  }

  /** Everything received on the topic, in the order of arrival. */
  List<Integer> received(String topic) {
    List<Integer> numbers = received.getOrDefault(topic, List.of());
    synchronized (numbers) {
      return List.copyOf(numbers);
    }
  }

  /** The same without repetitions: each number where it first came. */
  List<Integer> distinct(String topic) {
    return new ArrayList<>(new LinkedHashSet<>(received(topic)));
  }

  private void record(Mqtt5Publish publish) {
    received
        .computeIfAbsent(
            publish.getTopic().toString(), t -> Collections.synchronizedList(new ArrayList<>()))
        .add(Integer.valueOf(Mqtt5Session.text(publish)));
  }

  @Override
  public void close() {
    Mqtt5Session.await(client.disconnect());
  }
}
