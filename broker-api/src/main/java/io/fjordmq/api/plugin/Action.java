package io.fjordmq.api.plugin;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;

/** What a client wants to do and an {@link Authorizer} decides about. */
public sealed interface Action {

  /**
   * Publish to a topic.
   *
   * @param retain the message is to be retained
   * @param will true for the will of a CONNECT; it is not asked about again when it is published
   */
  record Publish(Topic topic, Qos qos, boolean retain, boolean will) implements Action {
    @Override
    public String toString() {
      return (will ? "leave a will for " : "publish to ") + topic;
    }
  }

  /**
   * Subscribe to everything a filter matches.
   *
   * @param qos the highest asked for
   */
  record Subscribe(TopicFilter filter, Qos qos) implements Action {
    @Override
    public String toString() {
      return "subscribe to " + filter;
    }
  }
}
