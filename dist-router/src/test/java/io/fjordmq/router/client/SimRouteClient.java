package io.fjordmq.router.client;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.sim.WriteHistory;
import io.fjordmq.range.sim.WriteHistory.Write;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteId;
import io.fjordmq.router.RouteStore;
import io.fjordmq.testing.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The route changes of one process of a node: first it removes the routes of its earlier
 * incarnations, then it adds and removes routes as its clients would.
 */
final class SimRouteClient {
  private static final List<String> TENANTS = List.of("t", "t", "t", "t", "u");
  private static final List<String> FILTERS =
      List.of("a", "a/b", "a/+", "+/b", "a/#", "#", "b/c", "$x/#", "a/b");
  private static final List<String> SHARES =
      List.of("$share/s/a/#", "$share/s/a/b", "$share/t/a/b");
  private static final long PAUSE_MILLIS = 60;

  private final SimProcess process;
  private final Simulation simulation;
  private final RouteStore router;
  private final WriteHistory<RouteId, SubscriptionOptions> history;
  private final String node;
  private final int incarnation;
  private boolean ready;
  private boolean stopped;
  private int pendingChanges;
  private int failures;

  /**
   * @param incarnation number of this incarnation, from 1
   */
  SimRouteClient(
      SimProcess process,
      RouteStore router,
      WriteHistory<RouteId, SubscriptionOptions> history,
      int incarnation) {
    this.process = process;
    this.simulation = process.simulation();
    this.router = router;
    this.history = history;
    this.node = process.node().value();
    this.incarnation = incarnation;
  }

  void start() {
    List<Write<RouteId>> removals = new ArrayList<>();
    for (RouteId route : List.copyOf(history.keys())) {
      if (route.receiver() instanceof Receiver.Live live
          && live.node().equals(node)
          && live.incarnation() < incarnation) {
        removals.add(history.begin(route, null));
      }
    }
    removeStale(removals);
  }

  private void removeStale(List<Write<RouteId>> removals) {
    router
        .removeStale(node, incarnation)
        .whenComplete(
            (removed, failure) -> {
              if (failure != null) {
                process.schedule(PAUSE_MILLIS, () -> removeStale(removals));
                return;
              }
              removals.forEach(history::onAcknowledged);
              ready = true;
              sendNextChanges();
            });
  }

  private void sendNextChanges() {
    if (stopped) {
      return;
    }
    for (long burst = simulation.between(1, 3); burst > 0; burst--) {
      RouteId route = randomRoute();
      if (simulation.chance(45)) {
        remove(route);
      } else {
        add(route);
      }
    }
    process.schedule(simulation.between(0, PAUSE_MILLIS), this::sendNextChanges);
  }

  private RouteId randomRoute() {
    String tenant = pick(TENANTS);
    boolean shared = simulation.chance(30);
    TopicFilter filter = TopicFilter.parse(pick(shared ? SHARES : FILTERS));
    if (simulation.chance(40)) {
      String member = shared ? "m" + simulation.between(1, 2) : "";
      return new RouteId(tenant, filter, new Receiver.Live(node, incarnation, member));
    }
    String client = node + "-c" + simulation.between(1, 2);
    return new RouteId(tenant, filter, new Receiver.Inbox(client, simulation.between(1, 2)));
  }

  private <T> T pick(List<T> from) {
    return from.get((int) simulation.between(0, from.size() - 1));
  }

  private void add(RouteId route) {
    // The identifier makes every write to the route different.
    int identifier = history.possibleValues(route, 0).size();
    SubscriptionOptions options =
        new SubscriptionOptions(
            Qos.of((int) simulation.between(0, 2)),
            simulation.chance(50),
            simulation.chance(50),
            RetainHandling.SEND_ALWAYS,
            identifier);
    Write<RouteId> write = history.begin(route, options);
    trackOutcome(
        write, router.add(new Route(route.tenant(), route.filter(), route.receiver(), options)));
  }

  private void remove(RouteId route) {
    Write<RouteId> write = history.begin(route, null);
    trackOutcome(
        write,
        router.remove(
            new Route(
                route.tenant(),
                route.filter(),
                route.receiver(),
                SubscriptionOptions.ofQos(Qos.AT_MOST_ONCE))));
  }

  private void trackOutcome(Write<RouteId> write, CompletableFuture<Void> done) {
    pendingChanges++;
    done.whenComplete((nothing, failure) -> onCompleted(write, failure));
  }

  private void onCompleted(Write<RouteId> write, @Nullable Throwable failure) {
    pendingChanges--;
    if (failure == null) {
      history.onAcknowledged(write);
    } else if (wasNotSent(failure)) {
      history.onRejected(write);
    } else {
      failures++;
    }
  }

  private static boolean wasNotSent(Throwable failure) {
    return failure.getCause() instanceof RangeException refusal
        && refusal.kind() == RangeException.Kind.BUSY;
  }

  /** Stops sending new changes. */
  void stopRequests() {
    stopped = true;
  }

  /** Sends a last change, which must be acknowledged in the fault-free phase. */
  void sendFinalRequests() {
    add(randomRoute());
  }

  boolean isDone() {
    return ready && pendingChanges == 0;
  }

  /** Number of changes with unknown outcome. */
  int failures() {
    return failures;
  }
}
