package io.fjordmq.broker.rest;

import io.fjordmq.api.TopicFilter;

/** A subscription to remove on behalf of a client. */
record UnsubscribeJson(
    @Field(
            value = "Topic filter of the subscription",
            rule = TextRule.TOPIC_FILTER,
            example = "a/+")
        String topic) {
  TopicFilter filter() {
    return TopicFilter.parse(topic);
  }
}
