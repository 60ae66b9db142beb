package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import java.nio.charset.StandardCharsets;

/** Shorthands for messages and options. */
public final class Messages {
  static final String PUBLISHER = "publisher";

  private Messages() {}

  public static Message message(String topic, Qos qos, String text) {
    return message(topic, qos, text, false);
  }

  static Message retained(String topic, Qos qos, String text) {
    return message(topic, qos, text, true);
  }

  static SubscriptionOptions options(Qos qos, int identifier) {
    return new SubscriptionOptions(qos, false, false, RetainHandling.SEND_ALWAYS, identifier);
  }

  static SubscriptionOptions noLocal(Qos qos, int identifier) {
    return new SubscriptionOptions(qos, true, false, RetainHandling.SEND_ALWAYS, identifier);
  }

  static SubscriptionOptions retainAsPublished(Qos qos) {
    return new SubscriptionOptions(qos, false, true, RetainHandling.SEND_ALWAYS, 0);
  }

  static String text(Message message) {
    return new String(message.payload(), StandardCharsets.UTF_8);
  }

  private static Message message(String topic, Qos qos, String text, boolean retain) {
    return new Message(
        new Topic(topic),
        text.getBytes(StandardCharsets.UTF_8),
        qos,
        retain,
        MessageProperties.NONE,
        PUBLISHER,
        1_000,
        Message.NEVER);
  }
}
