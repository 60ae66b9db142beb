package io.fjordmq.perf.micro;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.RouteSettings;
import io.fjordmq.router.client.ReplicatedRouteStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Matching a topic: three inboxes receive it, by a filter without wildcards, one with {@code +} and
 * one with {@code #}, among many similar filters. Up to 1,000 topics are used in turn; the hash
 * codes of their strings are cached.
 */
@State(Scope.Benchmark)
public class RouteMatch {
  private static final String TENANT = "tenant";

  /** Filters per site: eight devices, their temperatures, everything. */
  private static final int FILTERS_PER_SITE = 10;

  private static final int DEVICES = 8;
  private static final int MAX_TOPICS = 1_000;
  private static final int ROUTES_PER_COMMAND = 10_000;

  /** Filters in the table; a multiple of ten. */
  @Param({"10", "10000", "1000000"})
  int filters;

  /** Whether the matches of a topic are cached. */
  @Param({"true", "false"})
  boolean cached;

  private LocalStore store;
  private ReplicatedRouteStore router;
  private Topic[] topics;
  private int next;

  @Setup
  public void start() throws IOException {
    int maxCachedTopics = cached ? RouteSettings.DEFAULTS.maxCachedTopics() : 1;
    RouteSettings settings = new RouteSettings(1, maxCachedTopics, RouteSettings.Barrier.DEFAULTS);
    RouteReplicas replicas = new RouteReplicas(settings);
    store = LocalStore.applyingInBatches(replicas.spec());
    router = new ReplicatedRouteStore(store.client(), replicas);
    List<CompletableFuture<Void>> adding = new ArrayList<>();
    for (int i = 0; i < filters; i++) {
      adding.add(router.add(route(i)));
      if (adding.size() == ROUTES_PER_COMMAND || i == filters - 1) {
        store.await(adding);
        adding.clear();
      }
    }
    int sites = filters / FILTERS_PER_SITE;
    topics = new Topic[Math.min(sites * DEVICES, MAX_TOPICS)];
    for (int i = 0; i < topics.length; i++) {
      long site = (long) i * sites / topics.length;
      topics[i] = new Topic("site/" + site + "/device-" + i % DEVICES + "/temperature");
      int found = router.match(TENANT, topics[i]).inboxes().size();
      if (found != 3) {
        throw new IllegalStateException(topics[i] + " should match 3 inboxes, not " + found);
      }
    }
  }

  private static Route route(int number) {
    int member = number % FILTERS_PER_SITE;
    String suffix =
        switch (member) {
          case DEVICES -> "+/temperature";
          case DEVICES + 1 -> "#";
          default -> "device-" + member + "/temperature";
        };
    return new Route(
        TENANT,
        TopicFilter.parse("site/" + number / FILTERS_PER_SITE + "/" + suffix),
        new Receiver.Inbox("client-" + number, 1),
        SubscriptionOptions.ofQos(Qos.AT_LEAST_ONCE));
  }

  @Benchmark
  public MatchedRoutes match() {
    int current = next;
    next = current + 1 == topics.length ? 0 : current + 1;
    return router.match(TENANT, topics[current]);
  }

  @TearDown
  public void stop() throws IOException {
    store.close();
  }
}
