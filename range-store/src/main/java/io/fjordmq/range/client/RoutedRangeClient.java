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
   * Order is what needs care: two commands for one key must not overtake each other when the key
   * moves to another range. A range's waiting commands are handed over only while none of its
   * batches is in the air, and nobody can offer a command to the new range before the older ones
   * are in its queue: the table is published after them.
   */
  private final String store;
  private final ClientParts shared;

  /** By number: what is done with all of them is done in the same order in every run. */
  private final Map<Long, QueryCall> queries = new ConcurrentHashMap<>();

  private final AtomicLong lastQuery = new AtomicLong();
  private final AtomicBoolean watching = new AtomicBoolean();
  private final Object updates = new Object();
  private volatile RangeRouteTable table;

  /** Heard while a batch was in the air, which kept it from being taken in. Under updates. */
  private List<RangeDescriptor> postponed = List.of();

  /** The ranges whose batches keep it. */
  private volatile Set<RangeId> blockers = Set.of();

  private volatile boolean closed;

  /**
   * @param ranges where the store's keys are, as far as known; redirects correct it
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
          break; // the caller shall know that nothing more was sent after a refusal
        }
        call.partSent();
      }
    } catch (RangeException e) {
      call.failed(e);
    }
    return call.future();
  }

  /** Offers the parts of a command; those whose range was reshaped meanwhile are routed again. */
  private void dispatch(List<PendingCommand.Routed> parts) {
    for (PendingCommand.Routed part : parts) {
      RangeRoute rangeRoute = part.rangeRoute();
      if (!rangeRoute.batcher().offer(part.command(), rangeRoute.descriptor())) {
        List<PendingCommand.Routed> again;
        synchronized (updates) { // until the new table is there
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
          "a command of " + command.length + " bytes; at most " + limit + " fit into a log entry");
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
              shared.settings().maxQueries() + " queries to store " + store + " wait already"));
    }
    Long number = lastQuery.incrementAndGet();
    queries.put(number, call);
    // What is returned is the call's own future: one that depends on it would wrap its failure.
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
   * Takes in newer descriptors: who holds a range, and, if no batch of the ranges that change their
   * keys together is in the air, which keys they hold. Otherwise the latter is taken in when the
   * batch is settled.
   */
  public void update(List<RangeDescriptor> news) {
    List<Runnable> rest = new ArrayList<>();
    synchronized (updates) {
      List<RangeDescriptor> merged = table.merge(postponed, news);
      move(merged, rest);
      List<RangeReplacement> blocked = reshape(merged, rest);
      // A batch that was settled meanwhile found no change waiting for it.
      while (blocked.stream().anyMatch(change -> !change.isBlocked())) {
        blocked = reshape(merged, rest);
      }
    }
    // Sending may bring an answer on this stack, and with it more news or another command: only
    // once everything is in its place.
    rest.forEach(Runnable::run);
  }

  private void settled(RangeId range) {
    if (blockers.contains(range)) {
      update(List.of());
    }
  }

  /** Ranges that only have other replicas keep their commands. */
  private void move(List<RangeDescriptor> merged, List<Runnable> rest) {
    Map<RangeId, RangeDescriptor> now = new HashMap<>();
    merged.forEach(range -> now.put(range.id(), range));
    List<RangeRoute> routes = new ArrayList<>();
    List<RangeRoute> moved = new ArrayList<>();
    for (RangeRoute rangeRoute : table.routes()) {
      RangeDescriptor known = rangeRoute.descriptor();
      RangeDescriptor current = now.get(known.id());
      if (current != null && !current.equals(known) && isSameShape(current, known)) {
        RangeRoute renewed = new RangeRoute(current, rangeRoute.batcher());
        routes.add(renewed);
        moved.add(renewed);
      } else {
        routes.add(rangeRoute);
      }
    }
    if (!moved.isEmpty()) {
      table = new RangeRouteTable(store, routes);
      moved.forEach(rangeRoute -> resume(rangeRoute, rest));
    }
  }

  private static void resume(RangeRoute rangeRoute, List<Runnable> rest) {
    rangeRoute.batcher().resume(rangeRoute.descriptor());
    rest.add(rangeRoute.batcher()::next);
  }

  private static boolean isSameShape(RangeDescriptor one, RangeDescriptor other) {
    return one.epoch().version() == other.epoch().version()
        && one.interval().equals(other.interval());
  }

  /**
   * Returns the changes that wait, each for a batch that is in the air.
   *
   * @param rest gets what is to be done once nothing is frozen any more
   */
  private List<RangeReplacement> reshape(List<RangeDescriptor> merged, List<Runnable> rest) {
    RangeRouteTable old = table;
    List<RangeReplacement> blocked = new ArrayList<>();
    List<PendingCommand> moving = new ArrayList<>();
    List<RangeDescriptor> next = new ArrayList<>();
    old.routes().forEach(rangeRoute -> next.add(rangeRoute.descriptor()));
    boolean changed = false;
    for (RangeReplacement change : RangeReplacement.between(old, merged)) {
      if (change.isBlocked() || !freeze(old, change, moving, rest)) {
        blocked.add(change);
      } else {
        change.routes().forEach(rangeRoute -> next.remove(rangeRoute.descriptor()));
        next.addAll(change.ranges());
        changed = true;
      }
    }
    if (changed) {
      publish(old, next, moving, rest);
    }
    postponed = blocked.stream().flatMap(change -> change.ranges().stream()).toList();
    blockers =
        blocked.stream()
            .flatMap(change -> change.routes().stream())
            .map(rangeRoute -> rangeRoute.descriptor().id())
            .collect(Collectors.toUnmodifiableSet());
    blocked.forEach(
        change -> change.routes().forEach(rangeRoute -> askHolders(rangeRoute, merged)));
    return blocked;
  }

  /** Those that had its keys before may all have dropped their replicas, and know nothing. */
  private static void askHolders(RangeRoute rangeRoute, List<RangeDescriptor> merged) {
    RangeDescriptor known = rangeRoute.descriptor();
    merged.stream()
        .filter(range -> range.id().equals(known.id()))
        .findFirst()
        .or(
            () ->
                merged.stream()
                    .filter(range -> range.interval().contains(known.interval().start()))
                    .findFirst())
        .ifPresent(rangeRoute.batcher()::askHolders);
  }

  /**
   * Takes out the waiting commands of ranges that give way.
   *
   * @return false, and they are as they were, if one of them has sent a batch meanwhile
   */
  private static boolean freeze(
      RangeRouteTable old,
      RangeReplacement change,
      List<PendingCommand> moving,
      List<Runnable> rest) {
    List<PendingCommand> taken = new ArrayList<>();
    List<RangeRoute> frozen = new ArrayList<>();
    for (RangeRoute rangeRoute : change.routes()) {
      List<PendingCommand> commands = rangeRoute.batcher().freeze();
      if (commands == null) {
        taken.forEach(command -> command.route(old).forEach(RoutedRangeClient::giveBack));
        frozen.forEach(back -> resume(back, rest));
        return false;
      }
      frozen.add(rangeRoute);
      taken.addAll(commands);
    }
    moving.addAll(taken);
    return true;
  }

  private static void giveBack(PendingCommand.Routed routed) {
    routed.rangeRoute().batcher().adopt(routed.command());
  }

  private void publish(
      RangeRouteTable old,
      List<RangeDescriptor> merged,
      List<PendingCommand> moving,
      List<Runnable> rest) {
    Map<RangeId, MutationBatcher> batchers = new HashMap<>();
    old.routes()
        .forEach(rangeRoute -> batchers.put(rangeRoute.descriptor().id(), rangeRoute.batcher()));
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
        rest.add(() -> command.fail(e));
      }
    }
    table = updated;
    updated.routes().forEach(rangeRoute -> resume(rangeRoute, rest));
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
    for (RangeRoute rangeRoute : table.routes()) {
      busy |= rangeRoute.batcher().watch(nowMillis);
    }
    for (QueryCall query : queries.values()) {
      query.watch(nowMillis);
      busy = true;
    }
    if (busy && !closed) {
      scheduleWatch();
    } else {
      watching.set(false);
      if (!closed && isBusy()) { // something was sent just before the flag fell
        startWatching();
      }
    }
  }

  private boolean isBusy() {
    return !queries.isEmpty()
        || table.routes().stream()
            .anyMatch(rangeRoute -> rangeRoute.batcher().status().sentCommands() > 0);
  }

  /** Figures for metrics and status pages. */
  public ClientStatus status() {
    return new ClientStatus(
        table.routes().stream().map(rangeRoute -> rangeRoute.batcher().status()).toList(),
        queries.size());
  }

  /** Fails everything that waits; what was sent may still be applied. */
  @Override
  public void close() {
    closed = true;
    RangeException cause = closedFailure();
    synchronized (updates) {
      table.routes().forEach(rangeRoute -> rangeRoute.batcher().close(cause));
    }
    queries.values().forEach(query -> query.future().completeExceptionally(cause));
  }

  private RangeException closedFailure() {
    return new RangeException(RangeException.Kind.CLOSED, "store " + store + " is closing");
  }
}
