package io.fjordmq.broker.rest;

import io.fjordmq.api.TopicFilter;

/** A subscription to remove on behalf of a client. */
record UnsubscribeJson(
    @Field(value = "Topic filter as it was subscribed to", example = "a/+") String topic) {
  /**
   * Validates the filter.
   *
   * @throws IllegalArgumentException if it is malformed
   */
  UnsubscribeJson {
    SubscribeJson.filterOf(topic);
  }

  TopicFilter filter() {
    return SubscribeJson.filterOf(topic);
  }
}
