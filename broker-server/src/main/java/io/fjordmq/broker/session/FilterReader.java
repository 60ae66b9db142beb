package io.fjordmq.broker.session;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.protocol.TopicLimits;
import org.jspecify.annotations.Nullable;

/** Parses and validates the filters of SUBSCRIBE and UNSUBSCRIBE. */
final class FilterReader {
  /** The client whose filters are read. */
  interface Client {
    SessionSettings settings();

    /** Counts that the client reached a limit. */
    void recordLimitReached(Limit limit);
  }

  /** The reason code for a well-formed filter that is not allowed. */
  static final int TOPIC_FILTER_INVALID = 0x8F;

  /**
   * One filter of a SUBSCRIBE. If {@code filter} is null, the filter was refused with the reason
   * code {@code refusal}.
   */
  record RequestedFilter(@Nullable TopicFilter filter, SubscriptionOptions options, int refusal) {}

  private final Client client;

  FilterReader(Client client) {
    this.client = client;
  }

  /**
   * Reads one filter of a SUBSCRIBE.
   *
   * @throws ProtocolViolation if the filter or its options violate the protocol
   */
  RequestedFilter readRequested(String text, SubscriptionOptions options) {
    TopicFilter filter = read(text);
    if (filter == null) {
      return new RequestedFilter(null, options, TOPIC_FILTER_INVALID);
    }
    if (filter.isShared() && options.noLocal()) {
      // MQTT 5.0 §3.8.3.1
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR, "No Local must not be set on a shared subscription");
    }
    return new RequestedFilter(filter, options, 0);
  }

  /**
   * Parses a filter; returns null if it is well-formed but exceeds the limit of bytes or levels
   * (0x8F).
   *
   * @throws ProtocolViolation if the filter is malformed, for which 0x8F is not allowed (MQTT 5.0
   *     §3.9.3)
   */
  @Nullable TopicFilter read(String text) {
    TopicFilter filter;
    try {
      filter = TopicFilter.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ProtocolViolation(
          CloseReason.MALFORMED_PACKET, "malformed topic filter: " + e.getMessage());
    }
    Limit reached = new TopicLimits(client.settings()).limitExceededBy(text);
    if (reached != null) {
      client.recordLimitReached(reached);
      return null;
    }
    return filter;
  }
}
