package io.fjordmq.broker.rest;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import org.jspecify.annotations.Nullable;

/** A subscription to add on behalf of a client. */
record SubscribeJson(
    @Field(
            value = "Topic filter, with $share/GROUP/ for a shared subscription",
            rule = TextRule.TOPIC_FILTER,
            example = "a/+")
        String topic,
    @Field(value = "Maximum QoS; default 0", min = 0, max = 2) @Nullable Integer qos,
    @Field(value = "No Local; default 0", min = 0, max = 1) @Nullable Integer nl,
    @Field(value = "Retain As Published; default 0", min = 0, max = 1) @Nullable Integer rap,
    @Field(value = "Retain Handling; default 0", min = 0, max = 2) @Nullable Integer rh) {
  private static final RetainHandling[] RETAIN_HANDLING = RetainHandling.values();

  /**
   * Validates the combination.
   *
   * @throws ApiException 400 if the filter is shared and No Local is set
   */
  void requirePossible() {
    if (filter().isShared() && isSet(nl)) {
      throw ApiException.badRequest(
          "nl: must be 0 for the shared subscription '%s'".formatted(topic));
    }
  }

  TopicFilter filter() {
    return TopicFilter.parse(topic);
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
}
