package io.fjordmq.broker.chaos;

import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.nio.charset.StandardCharsets;

/**
 * A message of a {@link ChaosPublisher}.
 *
 * @param publisher its name
 * @param number from 0, in the order of sending
 */
record ChaosMessage(String publisher, int number) {
  static ChaosMessage of(Mqtt5Publish publish) {
    String topic = publish.getTopic().toString();
    String payload = new String(publish.getPayloadAsBytes(), StandardCharsets.UTF_8);
    return new ChaosMessage(
        topic.substring(topic.indexOf('/') + 1),
        Integer.parseInt(payload.substring(0, payload.indexOf(' '))));
  }
}
