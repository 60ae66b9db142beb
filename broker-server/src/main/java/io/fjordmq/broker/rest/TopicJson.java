package io.fjordmq.broker.rest;

import io.fjordmq.broker.query.TopicQueries.SubscribedTopic;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A topic filter that has subscribers. */
record TopicJson(
    @Field("Topic filter, with $share/GROUP/ for shared subscriptions") String topic,
    @Field("Tenant of the subscribers") String tenant,
    @Field("The first of `nodes`; absent if no subscriber is connected") @Nullable String node,
    @Field("Nodes with connected subscribers") List<String> nodes,
    @Field("Number of persistent sessions that subscribe, connected or offline") int sessions) {

  static TopicJson of(String tenant, SubscribedTopic topic) {
    List<String> nodes = topic.nodes();
    return new TopicJson(
        topic.filter(), tenant, nodes.isEmpty() ? null : nodes.get(0), nodes, topic.sessions());
  }
}
