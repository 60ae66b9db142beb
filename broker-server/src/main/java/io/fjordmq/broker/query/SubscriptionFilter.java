package io.fjordmq.broker.query;

import io.fjordmq.api.TopicFilter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Selects subscriptions. A component that is null selects all; so does QoS -1.
 *
 * @param tenant exact tenant
 * @param clientId exact client identifier
 * @param node id of the node that the client is connected to
 * @param qos maximum QoS of the subscription
 * @param topic exact topic filter as in SUBSCRIBE
 * @param shareGroup exact name of the share
 * @param matchTopic a filter that the topic filter of the subscription matches, as if it were a
 *     topic
 * @param durable whether the subscription outlives the connection
 */
public record SubscriptionFilter(
    @Nullable String tenant,
    @Nullable String clientId,
    @Nullable String node,
    int qos,
    @Nullable String topic,
    @Nullable String shareGroup,
    @Nullable TopicFilter matchTopic,
    @Nullable Boolean durable) {
  /** Selects all subscriptions. */
  public static final SubscriptionFilter ALL =
      new SubscriptionFilter(null, null, null, -1, null, null, null, null);

  /** Returns whether a subscription matches. */
  public boolean matches(ClientSubscription subscription) {
    return matches(subscription.filter())
        && (tenant == null || tenant.equals(subscription.id().tenant()))
        && (clientId == null || clientId.equals(subscription.id().clientId()))
        && (node == null || node.equals(subscription.node()))
        && (qos < 0 || qos == subscription.options().maxQos().level())
        && (durable == null || durable == subscription.durable());
  }

  /** Returns {@link #topic} if subscriptions to it can exist and match; empty otherwise. */
  Optional<TopicFilter> onlyTopic() {
    try {
      return Optional.ofNullable(topic).map(TopicFilter::parse).filter(this::matches);
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // no client can subscribe to it
    }
  }

  private boolean matches(TopicFilter filter) {
    return (topic == null || topic.equals(filter.text()))
        && (shareGroup == null || shareGroup.equals(filter.shareName()))
        && (matchTopic == null || covers(matchTopic.pattern(), filter.pattern()));
  }

  /** Returns whether a filter matches another one level by level. */
  static boolean covers(String wide, String narrow) {
    String[] levels = wide.split("/", -1);
    String[] other = narrow.split("/", -1);
    for (int i = 0; i < levels.length; i++) {
      if (levels[i].equals("#")) {
        return true; // also matches the level above
      }
      if (i >= other.length || (!levels[i].equals("+") && !levels[i].equals(other[i]))) {
        return false;
      }
    }
    return levels.length == other.length;
  }
}
