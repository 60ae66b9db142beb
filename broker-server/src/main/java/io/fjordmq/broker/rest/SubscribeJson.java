package io.fjordmq.broker.rest;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import org.jspecify.annotations.Nullable;

/** A subscription to add on behalf of a client. */
record SubscribeJson(
    @Field(value = "Topic filter, with $share/GROUP/ for a shared subscription", example = "a/+")
        String topic,
    @Field(value = "Maximum QoS; default 0", min = 0, max = 2) @Nullable Integer qos,
    @Field(value = "No Local; default 0", min = 0, max = 1) @Nullable Integer nl,
    @Field(value = "Retain As Published; default 0", min = 0, max = 1) @Nullable Integer rap,
    @Field(value = "Retain Handling; default 0", min = 0, max = 2) @Nullable Integer rh) {
  private static final RetainHandling[] RETAIN_HANDLING = RetainHandling.values();

  /**
   * Validates the combination.
   *
   * @throws IllegalArgumentException if the filter is malformed, or shared with No Local
   */
  SubscribeJson {
    if (filterOf(topic).isShared() && isSet(nl)) {
      throw new IllegalArgumentException("nl: must be 0 for a shared subscription");
    }
  }

  TopicFilter filter() {
    return filterOf(topic);
  }

  SubscriptionOptions options() {
    return new SubscriptionOptions(
        Qos.of(qos == null ? 0 : qos),
        isSet(nl),
        isSet(rap),
        RETAIN_HANDLING[rh == null ? 0 : rh],
        0);
  }

  private static boolean isSet(@Nullable Integer flag) {
    return flag != null && flag == 1;
  }

  /**
   * Parses a filter.
   *
   * @throws IllegalArgumentException if it is malformed
   */
  static TopicFilter filterOf(String topic) {
    try {
      return TopicFilter.parse(topic);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("topic: " + e.getMessage(), e);
    }
  }
}
