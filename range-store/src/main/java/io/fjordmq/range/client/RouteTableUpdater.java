package io.fjordmq.range.client;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Keeps the route table of one client up to date: replaces it when ranges move, split or merge, and
 * moves queued commands to the ranges that now hold their keys. Thread-safe.
 */
final class RouteTableUpdater {
  /*
   * Commands for a key must stay in order when the key moves to another range. A range's queued
   * commands move only while it has no batch in flight, and the new table is published only after
   * they are in the queues of the new ranges, so that no later command can get there first.
   */
  private final String store;
  private final ClientDependencies shared;
  private final Object lock = new Object();
  private volatile RangeRouteTable table;

  /** Descriptors that cannot take effect yet because of a batch in flight. Guarded by lock. */
  private List<RangeDescriptor> postponed = List.of();

  /** The ranges whose batches in flight hold up the postponed descriptors. */
  private volatile Set<RangeId> blockingRanges = Set.of();

  RouteTableUpdater(String store, List<RangeDescriptor> ranges, ClientDependencies shared) {
    this.store = store;
    this.shared = shared;
    List<RangeRoute> routes = new ArrayList<>();
    ranges.forEach(range -> routes.add(new RangeRoute(range, new MutationBatcher(range, shared))));
    this.table = new RangeRouteTable(store, routes);
  }

  RangeRouteTable table() {
    return table;
  }

  /** Routes a command whose range has changed since it was routed; waits for the new table. */
  List<RangeRouteTable.RoutedCommand> routeAgain(PendingCommand command) {
    synchronized (lock) {
      return table.route(command);
    }
  }

  /**
   * Applies newer descriptors. Changed replicas take effect immediately. Changed intervals take
   * effect once none of the ranges that change together has a batch in flight.
   */
  void update(List<RangeDescriptor> received) {
    List<Runnable> deferred = new ArrayList<>();
    synchronized (lock) {
      List<RangeDescriptor> merged = table.merge(postponed, received);
      applyReplicaChanges(merged, deferred);
      List<RangeReplacement> blocked = applyIntervals(merged, deferred);
      // Retry changes whose blocking batch has settled in the meantime: it found no postponed
      // change to apply.
      while (blocked.stream().anyMatch(change -> !change.isBlocked())) {
        blocked = applyIntervals(merged, deferred);
      }
    }
    // Sending can deliver a response on this stack, and with it descriptors or commands, so it
    // waits until the table is consistent.
    deferred.forEach(Runnable::run);
  }

  /** Must be called when a batch of the range has been applied or given up. */
  void onSettled(RangeId range) {
    if (blockingRanges.contains(range)) {
      update(List.of());
    }
  }

  /** Applies changes of replicas; these ranges keep their queued commands. */
  private void applyReplicaChanges(List<RangeDescriptor> merged, List<Runnable> deferred) {
    Map<RangeId, RangeDescriptor> mergedById = new HashMap<>();
    merged.forEach(range -> mergedById.put(range.id(), range));
    List<RangeRoute> routes = new ArrayList<>();
    List<RangeRoute> moved = new ArrayList<>();
    for (RangeRoute route : table.routes()) {
      RangeDescriptor known = route.descriptor();
      RangeDescriptor current = mergedById.get(known.id());
      if (current != null && !current.equals(known) && isSameEpochAndInterval(current, known)) {
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

  private static boolean isSameEpochAndInterval(RangeDescriptor a, RangeDescriptor b) {
    return a.epoch().version() == b.epoch().version() && a.interval().equals(b.interval());
  }

  /**
   * Applies changed intervals, and returns the changes that have to wait for a batch in flight.
   *
   * @param deferred receives the work to do once no batcher is frozen anymore
   */
  private List<RangeReplacement> applyIntervals(
      List<RangeDescriptor> merged, List<Runnable> deferred) {
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
    blockingRanges =
        blocked.stream()
            .flatMap(change -> change.routes().stream())
            .map(route -> route.descriptor().id())
            .collect(Collectors.toUnmodifiableSet());
    blocked.forEach(change -> change.routes().forEach(route -> useNewReplicas(route, merged)));
    return blocked;
  }

  /**
   * Follows the range's keys to new nodes, because all previous nodes may have dropped their
   * replicas.
   */
  private static void useNewReplicas(RangeRoute route, List<RangeDescriptor> merged) {
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
   * @return false, leaving all of them unchanged, if one of them has sent a batch in the meantime
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
        taken.forEach(command -> old.route(command).forEach(RouteTableUpdater::requeue));
        frozen.forEach(unfrozen -> resume(unfrozen, deferred));
        return false;
      }
      frozen.add(route);
      taken.addAll(commands);
    }
    moving.addAll(taken);
    return true;
  }

  private static void requeue(RangeRouteTable.RoutedCommand routed) {
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
        updated.route(command).forEach(RouteTableUpdater::requeue);
      } catch (RangeException e) {
        deferred.add(() -> command.fail(e));
      }
    }
    table = updated;
    updated.routes().forEach(route -> resume(route, deferred));
  }

  /** Fails all commands: queued, in flight and offered later. */
  void close(RangeException cause) {
    synchronized (lock) {
      table.routes().forEach(route -> route.batcher().close(cause));
    }
  }
}
