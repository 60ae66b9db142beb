package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.SlowSubscriptionQueries;
import io.fjordmq.broker.query.SlowSubscriptionQueries.Found;
import io.fjordmq.broker.query.SlowSubscriptionQueries.Slowest;
import io.fjordmq.broker.slow.SlowSubscription;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The subscriptions with the highest delivery latency. */
final class SlowSubscriptionsResource implements Resource {
  private static final String TAG = "Slow subscriptions";
  private static final String PATH = "/slow_subscriptions";

  private final SlowSubscriptionQueries slow;

  record SlowSubscriptionJson(
      @Field("Client identifier of the subscriber") String clientid,
      @Field("Tenant of the subscriber") String tenant,
      @Field("Topic of the messages") String topic,
      @Field("Highest delivery latency, in milliseconds") long timespan,
      @Field("Node that the subscriber is or was connected to") String node,
      @Field("When a message was late most recently") Instant lastUpdateTime) {
    static SlowSubscriptionJson of(Found found) {
      SlowSubscription subscription = found.subscription();
      return new SlowSubscriptionJson(
          subscription.clientId(),
          subscription.tenant(),
          subscription.topic(),
          subscription.latencyMillis(),
          found.node(),
          Instant.ofEpochMilli(subscription.updatedAtMillis()));
    }
  }

  SlowSubscriptionsResource(SlowSubscriptionQueries slow) {
    this.slow = slow;
  }

  @Override
  public List<Operation> operations() {
    return List.of(list(), clear());
  }

  private static Parameter tenantParameter() {
    return Parameter.text(
        "tenant", "Only subscribers of this tenant; by default of all", TextRule.WITHOUT_NUL);
  }

  private Operation list() {
    return Operation.get(PATH)
        .id("listSlowSubscriptions")
        .tag(TAG)
        .summary("List the slowest subscribers")
        .description(
            "Each node lists the clients with the highest delivery latency (`slowSubscriptionConfig`"
                + "): the time from accepting a message until the subscriber has acknowledged it or,"
                + " with QoS 0, until it has left the queue in memory. Slowest first.")
        .role(Role.VIEWER)
        .tenants()
        .query(tenantParameter())
        .paged()
        .okList(SlowSubscriptionJson.class)
        .handler(
            request ->
                slow.list(ClientLookup.tenant(request)).thenApply(all -> page(request, all)));
  }

  private static Response page(Request request, Slowest all) {
    Paging paging = request.paging();
    List<SlowSubscriptionJson> rows =
        all.subscriptions().stream().map(SlowSubscriptionJson::of).toList();
    int from = Math.min(paging.offset(), rows.size());
    int to = Math.min(from + paging.limit(), rows.size());
    return Response.list(
        rows.subList(from, to),
        new Meta(
            paging.page(),
            paging.limit(),
            to < rows.size(),
            all.problems().isEmpty() ? Long.valueOf(rows.size()) : null,
            null,
            all.problems().isEmpty() ? null : all.problems()));
  }

  private Operation clear() {
    return Operation.delete(PATH)
        .id("clearSlowSubscriptions")
        .tag(TAG)
        .summary("Clear the list of the slowest subscribers")
        .role(Role.OPERATOR)
        .tenants()
        .query(tenantParameter())
        .target(request -> "slow subscriptions")
        .noContent()
        .error(503, "A node did not respond; the lists of the other nodes are cleared")
        .handler(this::clear);
  }

  private CompletableFuture<Response> clear(Request request) {
    @Nullable String tenant = ClientLookup.tenant(request);
    return slow.clear(tenant)
        .thenApply(
            problems -> {
              if (!problems.isEmpty()) {
                throw ApiException.unavailable(
                    "the lists of some nodes might not have been cleared; retry: "
                        + String.join("; ", problems));
              }
              return Response.noContent();
            });
  }
}
