package io.fjordmq.broker.rest;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.broker.query.ClientSubscription;
import org.jspecify.annotations.Nullable;

/** A subscription of a client. */
record SubscriptionJson(
    @Field("Client identifier") String clientid,
    @Field("Tenant of the client") String tenant,
    @Field("Node that the client is connected to; absent if it is offline") @Nullable String node,
    @Field("Topic filter, with $share/GROUP/ for a shared subscription") String topic,
    @Field("Maximum QoS") int qos,
    @Field("No Local: 1 if the client does not receive its own messages") int nl,
    @Field("Retain As Published: 1 if messages keep their RETAIN flag") int rap,
    @Field("Retain Handling: 0 send retained messages, 1 only for new subscriptions, 2 never")
        int rh,
    @Field("Subscription Identifier; absent if there is none") @Nullable Integer subid,
    @Field("Whether the subscription outlives the connection") boolean durable) {

  static SubscriptionJson of(ClientSubscription subscription) {
    SubscriptionOptions options = subscription.options();
    return new SubscriptionJson(
        subscription.clientId(),
        subscription.tenant(),
        subscription.node(),
        subscription.filter().text(),
        options.maxQos().level(),
        options.noLocal() ? 1 : 0,
        options.retainAsPublished() ? 1 : 0,
        options.retainHandling().ordinal(),
        options.identifier() == 0 ? null : options.identifier(),
        subscription.durable());
  }
}
