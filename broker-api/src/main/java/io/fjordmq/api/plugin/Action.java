package io.fjordmq.api.plugin;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;

/**
 * An action of a client that an {@link Authorizer} allows or denies.
 *
 * @since 0.1.0
 */
public sealed interface Action {

  /**
   * Publish to a topic.
   *
   * @param retain true if the message has the RETAIN flag
   * @param will true for the will in a CONNECT; it is not authorized again when it is published
   */
  record Publish(Topic topic, Qos qos, boolean retain, boolean will) implements Action {
    @Override
    public String toString() {
      return (will ? "set a will for " : "publish to ") + topic;
    }
  }

  /**
   * Subscribe to a topic filter.
   *
   * @param qos the requested maximum QoS
   */
  record Subscribe(TopicFilter filter, Qos qos) implements Action {
    @Override
    public String toString() {
      return "subscribe to " + filter;
    }
  }
}
