package io.fjordmq.range.client;

import io.fjordmq.common.Timers;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeTransport;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** The {@link RangeClient} of one store on one node. */
public final class RoutedRangeClient implements RangeClient, AutoCloseable {
  private final String store;
  private final ClientDependencies shared;
  private final int maxCommandBytes;
  private final long timeoutMillis;

  /** By number, so that simulations iterate over the queries in the same order in every run. */
  private final Map<Long, QueryCall> queries = new ConcurrentHashMap<>();

  private final AtomicLong lastQuery = new AtomicLong();
  private final AtomicBoolean watching = new AtomicBoolean();
  private final RouteTableUpdater routes;
  private volatile boolean closed;

  /**
   * @param ranges the known ranges of the store; redirects correct them
   */
  public RoutedRangeClient(
      String store,
      List<RangeDescriptor> ranges,
      RangeTransport transport,
      Timers timers,
      RangeClientSettings settings,
      RangeObserver observer) {
    this.store = store;
    this.maxCommandBytes = settings.maxCommandBytes();
    this.timeoutMillis = settings.deadline().toMillis();
    this.shared =
        new ClientDependencies(
            transport,
            timers,
            settings,
            observer,
            new ClientDependencies.Client() {
              @Override
              public void onNewDescriptors(List<RangeDescriptor> current) {
                routes.update(current);
              }

              @Override
              public void onSettled(RangeId range) {
                routes.onSettled(range);
              }

              @Override
              public void watchDeadlines() {
                startWatching();
              }
            });
    this.routes = new RouteTableUpdater(store, ranges, shared);
  }

  @Override
  public CompletableFuture<byte[]> mutate(byte[] key, byte[] command) {
    try {
      checkSize(command);
      PendingCommand.Single single =
          new PendingCommand.Single(key, command, deadlineMillis(), new CompletableFuture<>());
      dispatch(routes.table().route(single));
      return single.future();
    } catch (RangeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletableFuture<List<GroupResponse>> mutateGrouped(
      List<byte[]> keys, GroupEncoder encoder) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("a grouped mutation needs at least one key");
    }
    GroupedCall call = new GroupedCall(keys, encoder, deadlineMillis());
    try {
      List<RangeRouteTable.RoutedCommand> parts = routes.table().route(call, call.allPositions());
      for (RangeRouteTable.RoutedCommand part : parts) {
        checkSize(part.command().bytes());
      }
      for (RangeRouteTable.RoutedCommand part : parts) {
        dispatch(List.of(part));
        if (call.future().isCompletedExceptionally()) {
          break; // send nothing more after a rejection
        }
        call.onPartSent();
      }
    } catch (RangeException e) {
      call.fail(e);
    }
    return call.future();
  }

  /** Queues the parts of a command, and reroutes those whose range has changed in the meantime. */
  private void dispatch(List<RangeRouteTable.RoutedCommand> parts) {
    for (RangeRouteTable.RoutedCommand part : parts) {
      RangeRoute route = part.route();
      if (!route.batcher().offer(part.command(), route.descriptor())) {
        dispatch(routes.routeAgain(part.command()));
      }
    }
  }

  private void checkSize(byte[] command) {
    if (command.length > maxCommandBytes) {
      throw new RangeException(
          RangeException.Kind.TOO_LARGE,
          "command of "
              + command.length
              + " bytes is too large; the maximum is "
              + maxCommandBytes);
    }
  }

  private long deadlineMillis() {
    return shared.timers().nowMillis() + timeoutMillis;
  }

  @Override
  public CompletableFuture<byte[]> query(byte[] key, byte[] query) {
    if (closed) {
      return CompletableFuture.failedFuture(closedFailure());
    }
    QueryCall call = new QueryCall(key, query, deadlineMillis(), shared, routes::table);
    if (queries.size() >= shared.settings().maxQueries()) {
      return CompletableFuture.failedFuture(
          new RangeException(
              RangeException.Kind.BUSY,
              "too many queries to store %s in flight (%d); retry later"
                  .formatted(store, shared.settings().maxQueries())));
    }
    Long number = lastQuery.incrementAndGet();
    queries.put(number, call);
    // Return the call's own future: a dependent one would wrap its failure.
    call.future().whenComplete((response, error) -> queries.remove(number));
    startWatching();
    call.send();
    return call.future();
  }

  @Override
  public List<KeyInterval> locate(KeyInterval interval) {
    return routes.table().locate(interval);
  }

  /**
   * Applies newer descriptors. Changed replicas take effect immediately. Changed intervals take
   * effect once none of the ranges that change together has a batch in flight.
   */
  public void update(List<RangeDescriptor> received) {
    routes.update(received);
  }

  private void startWatching() {
    if (watching.compareAndSet(false, true)) {
      scheduleWatch();
    }
  }

  private void scheduleWatch() {
    long period = Math.max(1, shared.settings().attemptTimeout().toMillis() / 4);
    shared.timers().schedule(period, this::watch);
  }

  private void watch() {
    long nowMillis = shared.timers().nowMillis();
    boolean busy = false;
    for (RangeRoute route : routes.table().routes()) {
      busy |= route.batcher().checkDeadline(nowMillis);
    }
    for (QueryCall query : queries.values()) {
      query.checkDeadline(nowMillis);
      busy = true;
    }
    if (busy && !closed) {
      scheduleWatch();
    } else {
      watching.set(false);
      if (!closed && isBusy()) { // something was sent just before the flag was cleared
        startWatching();
      }
    }
  }

  private boolean isBusy() {
    return !queries.isEmpty()
        || routes.table().routes().stream()
            .anyMatch(route -> route.batcher().status().sentCommands() > 0);
  }

  /** Returns the status for metrics and status pages. */
  public ClientStatus status() {
    return new ClientStatus(
        routes.table().routes().stream().map(route -> route.batcher().status()).toList(),
        queries.size());
  }

  /** Fails all pending commands and queries; commands already sent may still be applied. */
  @Override
  public void close() {
    closed = true;
    RangeException cause = closedFailure();
    routes.close(cause);
    queries.values().forEach(query -> query.future().completeExceptionally(cause));
  }

  private RangeException closedFailure() {
    return new RangeException(RangeException.Kind.CLOSED, "store " + store + " is closing");
  }
}
