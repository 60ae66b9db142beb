package io.fjordmq.router.client;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.sim.LocalRanges;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.RouteSettings;

/** A router with a few ranges on the real range engine, without threads, network or disk. */
final class RouteFixture implements AutoCloseable {
  private final RouteReplicas replicas;
  private final LocalRanges ranges;

  RouteFixture(RouteSettings settings) {
    replicas = new RouteReplicas(settings);
    ranges = LocalRanges.of(replicas.spec());
  }

  static RouteFixture of(int ranges, int cachedTopics) {
    return new RouteFixture(
        new RouteSettings(ranges, cachedTopics, RouteSettings.Barrier.DEFAULTS));
  }

  ReplicatedRouteStore router() {
    return new ReplicatedRouteStore(ranges.client(RouteReplicas.STORE), replicas);
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
