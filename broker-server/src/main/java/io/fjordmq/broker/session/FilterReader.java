package io.fjordmq.broker.session;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.limits.Limit;
import org.jspecify.annotations.Nullable;

/** Reads the filters of SUBSCRIBE and UNSUBSCRIBE. */
final class FilterReader {
  /** A well-formed filter that is not allowed. */
  static final int TOPIC_FILTER_INVALID = 0x8F;

  /** One filter of a SUBSCRIBE; without a filter it is refused with the code. */
  record RequestedFilter(@Nullable TopicFilter filter, SubscriptionOptions options, int refusal) {}

  private final Connection connection;
  private final TopicLimits limits;

  FilterReader(Connection connection) {
    this.connection = connection;
    this.limits = new TopicLimits(connection.settings());
  }

  /**
   * Reads one filter of a SUBSCRIBE.
   *
   * @throws ProtocolViolation if it breaks the protocol
   */
  RequestedFilter wish(String text, SubscriptionOptions options) {
    TopicFilter filter = read(text);
    if (filter == null) {
      return new RequestedFilter(null, options, TOPIC_FILTER_INVALID);
    }
    if (filter.isShared() && options.noLocal()) {
      // MQTT 5.0 §3.8.3.1
      throw new ProtocolViolation(CloseReason.PROTOCOL_ERROR, "no local on a shared subscription");
    }
    return new RequestedFilter(filter, options, 0);
  }

  /**
   * Null if the filter is well-formed but longer or deeper than allowed: 0x8F.
   *
   * @throws ProtocolViolation if it is ill-formed; 0x8F is not for that (MQTT 5.0 §3.9.3)
   */
  @Nullable TopicFilter read(String text) {
    TopicFilter filter;
    try {
      filter = TopicFilter.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ProtocolViolation(
          CloseReason.MALFORMED_PACKET, "ill-formed topic filter: " + e.getMessage());
    }
    Limit reached = limits.reachedBy(text);
    if (reached != null) {
      connection.reached(reached);
      return null;
    }
    return filter;
  }
}
