package io.fjordmq.router;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.sim.LocalRanges;

/** A router of a few ranges on the real engine, without threads, network or disk. */
final class RouterFixture implements AutoCloseable {
  private final RangedRouter.Replicas replicas;
  private final LocalRanges ranges;

  RouterFixture(RouterSettings settings) {
    replicas = new RangedRouter.Replicas(settings);
    ranges = LocalRanges.of(RangedRouter.spec(settings, replicas));
  }

  static RouterFixture of(int ranges, int cachedTopics) {
    return new RouterFixture(
        new RouterSettings(ranges, cachedTopics, RouterSettings.Barrier.DEFAULTS));
  }

  RangedRouter router() {
    return new RangedRouter(ranges.client("dist"), replicas);
  }

  MatchedRoutes match(String tenant, String topic) {
    return router().match(tenant, new Topic(topic));
  }

  void crash() {
    ranges.crash();
  }

  void restart() {
    ranges.checkpoint();
    ranges.restart();
  }

  static Route live(String tenant, String filter, String node, long incarnation) {
    return new Route(
        tenant,
        TopicFilter.parse(filter),
        new Receiver.Live(node, incarnation, ""),
        SubscriptionOptions.ofQos(Qos.EXACTLY_ONCE));
  }

  static Route inbox(String tenant, String filter, String clientId, Qos qos) {
    return new Route(
        tenant,
        TopicFilter.parse(filter),
        new Receiver.Inbox(clientId, 1),
        SubscriptionOptions.ofQos(qos));
  }

  @Override
  public void close() {
    ranges.close();
  }
}
