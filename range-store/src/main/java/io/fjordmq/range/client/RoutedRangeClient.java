package io.fjordmq.range.client;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.Timers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** The {@link RangeClient} of one store on one node. */
public final class RoutedRangeClient implements RangeClient, AutoCloseable {
  /*
   * Commands for a key must stay in order when the key moves to another range. A range's queued
   * commands move only while it has no batch in flight, and the new table is published only after
   * they are in the queues of the new ranges, so that no later command can get there first.
   */
  private final String store;
  private final ClientParts shared;

  /** By number, so that simulations iterate over the queries in the same order in every run. */
  private final Map<Long, QueryCall> queries = new ConcurrentHashMap<>();

  private final AtomicLong lastQuery = new AtomicLong();
  private final AtomicBoolean watching = new AtomicBoolean();
  private final Object updates = new Object();
  private volatile RangeRouteTable table;

  /** Descriptors that a batch in flight keeps from taking effect. Guarded by updates. */
  private List<RangeDescriptor> postponed = List.of();

  /** The ranges with these batches. */
  private volatile Set<RangeId> blockers = Set.of();

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
    this.shared =
        new ClientParts(
            transport,
            timers,
            settings,
            observer,
            new ClientParts.Client() {
              @Override
              public void reshaped(List<RangeDescriptor> current) {
                update(current);
              }

              @Override
              public void settled(RangeId range) {
                RoutedRangeClient.this.settled(range);
              }

              @Override
              public void watch() {
                startWatching();
              }
            });
    List<RangeRoute> routes = new ArrayList<>();
    ranges.forEach(range -> routes.add(new RangeRoute(range, new MutationBatcher(range, shared))));
    this.table = new RangeRouteTable(store, routes);
  }

  @Override
  public CompletableFuture<byte[]> mutate(byte[] key, byte[] command) {
    try {
      checkSize(command);
      PendingCommand.Single single =
          new PendingCommand.Single(key, command, deadlineMillis(), new CompletableFuture<>());
      dispatch(single.route(table));
      return single.future();
    } catch (RangeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletableFuture<List<GroupAnswer>> mutateGrouped(
      List<byte[]> keys, GroupEncoder encoder) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("a grouped mutation needs at least one key");
    }
    GroupedCall call = new GroupedCall(keys, encoder, deadlineMillis());
    try {
      List<PendingCommand.Routed> parts = call.group(call.allPositions(), table);
      for (PendingCommand.Routed part : parts) {
        checkSize(part.command().bytes());
      }
      for (PendingCommand.Routed part : parts) {
        dispatch(List.of(part));
        if (call.future().isCompletedExceptionally()) {
          break; // send nothing more after a rejection
        }
        call.partSent();
      }
    } catch (RangeException e) {
      call.failed(e);
    }
    return call.future();
  }

  /** Queues the parts of a command, and routes those again whose range has changed meanwhile. */
  private void dispatch(List<PendingCommand.Routed> parts) {
    for (PendingCommand.Routed part : parts) {
      RangeRoute route = part.route();
      if (!route.batcher().offer(part.command(), route.descriptor())) {
        List<PendingCommand.Routed> again;
        synchronized (updates) { // waits for the new table
          again = part.command().route(table);
        }
        dispatch(again);
      }
    }
  }

  private void checkSize(byte[] command) {
    int limit = shared.settings().maxCommandBytes();
    if (command.length > limit) {
      throw new RangeException(
          RangeException.Kind.TOO_LARGE,
          "command of " + command.length + " bytes is too large; the maximum is " + limit);
    }
  }

  private long deadlineMillis() {
    return shared.timers().nowMillis() + shared.settings().deadline().toMillis();
  }

  @Override
  public CompletableFuture<byte[]> query(byte[] key, byte[] query) {
    if (closed) {
      return CompletableFuture.failedFuture(closedFailure());
    }
    QueryCall call = new QueryCall(key, query, deadlineMillis(), shared, () -> table);
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
    call.future().whenComplete((answer, error) -> queries.remove(number));
    startWatching();
    call.send();
    return call.future();
  }

  @Override
  public List<KeyInterval> locate(KeyInterval interval) {
    return table.locate(interval);
  }

  /**
   * Applies newer descriptors. Changed replicas take effect immediately. Changed intervals take
   * effect once none of the ranges that change together has a batch in flight.
   */
  public void update(List<RangeDescriptor> news) {
    List<Runnable> deferred = new ArrayList<>();
    synchronized (updates) {
      List<RangeDescriptor> merged = table.merge(postponed, news);
      move(merged, deferred);
      List<RangeReplacement> blocked = reshape(merged, deferred);
      // Retry changes whose batch settled meanwhile: it found no postponed change to apply.
      while (blocked.stream().anyMatch(change -> !change.isBlocked())) {
        blocked = reshape(merged, deferred);
      }
    }
    // Sending can bring an answer on this stack, and with it descriptors or commands, so it waits
    // until the table is consistent.
    deferred.forEach(Runnable::run);
  }

  private void settled(RangeId range) {
    if (blockers.contains(range)) {
      update(List.of());
    }
  }

  /** Applies changes of replicas; these ranges keep their queued commands. */
  private void move(List<RangeDescriptor> merged, List<Runnable> deferred) {
    Map<RangeId, RangeDescriptor> now = new HashMap<>();
    merged.forEach(range -> now.put(range.id(), range));
    List<RangeRoute> routes = new ArrayList<>();
    List<RangeRoute> moved = new ArrayList<>();
    for (RangeRoute route : table.routes()) {
      RangeDescriptor known = route.descriptor();
      RangeDescriptor current = now.get(known.id());
      if (current != null && !current.equals(known) && isSameShape(current, known)) {
        RangeRoute renewed = new RangeRoute(current, route.batcher());
        routes.add(renewed);
        moved.add(renewed);
      } else {
        routes.add(route);
      }
    }
    if (!moved.isEmpty()) {
      table = new RangeRouteTable(store, routes);
      moved.forEach(route -> resume(route, deferred));
    }
  }

  private static void resume(RangeRoute route, List<Runnable> deferred) {
    route.batcher().resume(route.descriptor());
    deferred.add(route.batcher()::sendNext);
  }

  private static boolean isSameShape(RangeDescriptor one, RangeDescriptor other) {
    return one.epoch().version() == other.epoch().version()
        && one.interval().equals(other.interval());
  }

  /**
   * Applies changed intervals, and returns the changes that have to wait for a batch in flight.
   *
   * @param deferred receives the work to do once nothing is frozen any more
   */
  private List<RangeReplacement> reshape(List<RangeDescriptor> merged, List<Runnable> deferred) {
    RangeRouteTable old = table;
    List<RangeReplacement> blocked = new ArrayList<>();
    List<PendingCommand> moving = new ArrayList<>();
    List<RangeDescriptor> next = new ArrayList<>();
    old.routes().forEach(route -> next.add(route.descriptor()));
    boolean changed = false;
    for (RangeReplacement change : RangeReplacement.between(old, merged)) {
      if (change.isBlocked() || !freeze(old, change, moving, deferred)) {
        blocked.add(change);
      } else {
        change.routes().forEach(route -> next.remove(route.descriptor()));
        next.addAll(change.ranges());
        changed = true;
      }
    }
    if (changed) {
      publish(old, next, moving, deferred);
    }
    postponed = blocked.stream().flatMap(change -> change.ranges().stream()).toList();
    blockers =
        blocked.stream()
            .flatMap(change -> change.routes().stream())
            .map(route -> route.descriptor().id())
            .collect(Collectors.toUnmodifiableSet());
    blocked.forEach(change -> change.routes().forEach(route -> askHolders(route, merged)));
    return blocked;
  }

  /** Follows the range's keys to new nodes: all previous ones may have dropped their replicas. */
  private static void askHolders(RangeRoute route, List<RangeDescriptor> merged) {
    RangeDescriptor known = route.descriptor();
    merged.stream()
        .filter(range -> range.id().equals(known.id()))
        .findFirst()
        .or(
            () ->
                merged.stream()
                    .filter(range -> range.interval().contains(known.interval().start()))
                    .findFirst())
        .ifPresent(route.batcher()::useReplicas);
  }

  /**
   * Removes the queued commands of ranges that are being replaced.
   *
   * @return false, leaving all of them unchanged, if one of them has sent a batch meanwhile
   */
  private static boolean freeze(
      RangeRouteTable old,
      RangeReplacement change,
      List<PendingCommand> moving,
      List<Runnable> deferred) {
    List<PendingCommand> taken = new ArrayList<>();
    List<RangeRoute> frozen = new ArrayList<>();
    for (RangeRoute route : change.routes()) {
      List<PendingCommand> commands = route.batcher().freeze();
      if (commands == null) {
        taken.forEach(command -> command.route(old).forEach(RoutedRangeClient::giveBack));
        frozen.forEach(back -> resume(back, deferred));
        return false;
      }
      frozen.add(route);
      taken.addAll(commands);
    }
    moving.addAll(taken);
    return true;
  }

  private static void giveBack(PendingCommand.Routed routed) {
    routed.route().batcher().adopt(routed.command());
  }

  private void publish(
      RangeRouteTable old,
      List<RangeDescriptor> merged,
      List<PendingCommand> moving,
      List<Runnable> deferred) {
    Map<RangeId, MutationBatcher> batchers = new HashMap<>();
    old.routes().forEach(route -> batchers.put(route.descriptor().id(), route.batcher()));
    List<RangeRoute> routes = new ArrayList<>();
    for (RangeDescriptor range : merged) {
      MutationBatcher batcher = batchers.get(range.id());
      routes.add(
          new RangeRoute(range, batcher == null ? new MutationBatcher(range, shared) : batcher));
    }
    RangeRouteTable updated = new RangeRouteTable(store, routes);
    for (PendingCommand command : moving) {
      try {
        command.route(updated).forEach(RoutedRangeClient::giveBack);
      } catch (RangeException e) {
        deferred.add(() -> command.fail(e));
      }
    }
    table = updated;
    updated.routes().forEach(route -> resume(route, deferred));
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
    for (RangeRoute route : table.routes()) {
      busy |= route.batcher().watch(nowMillis);
    }
    for (QueryCall query : queries.values()) {
      query.watch(nowMillis);
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
        || table.routes().stream().anyMatch(route -> route.batcher().status().sentCommands() > 0);
  }

  /** Status for metrics and status pages. */
  public ClientStatus status() {
    return new ClientStatus(
        table.routes().stream().map(route -> route.batcher().status()).toList(), queries.size());
  }

  /** Fails all pending commands and queries; commands already sent may still be applied. */
  @Override
  public void close() {
    closed = true;
    RangeException cause = closedFailure();
    synchronized (updates) {
      table.routes().forEach(route -> route.batcher().close(cause));
    }
    queries.values().forEach(query -> query.future().completeExceptionally(cause));
  }

  private RangeException closedFailure() {
    return new RangeException(RangeException.Kind.CLOSED, "store " + store + " is closing");
  }
}
