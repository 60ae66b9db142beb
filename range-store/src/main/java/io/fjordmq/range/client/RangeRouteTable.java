package io.fjordmq.range.client;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The ranges of a store, as far as this client knows them, searchable by key. Immutable. */
final class RangeRouteTable {
  private final String store;

  /** Disjoint and in key order, possibly with gaps. */
  private final List<RangeRoute> routes;

  RangeRouteTable(String store, List<RangeRoute> routes) {
    this.store = store;
    List<RangeRoute> sorted = new ArrayList<>(routes);
    sorted.sort((a, b) -> Arrays.compareUnsigned(start(a), start(b)));
    this.routes = List.copyOf(sorted);
  }

  private static byte[] start(RangeRoute route) {
    return route.descriptor().interval().start();
  }

  List<RangeRoute> routes() {
    return routes;
  }

  /**
   * Returns the range that holds the key.
   *
   * @throws RangeException if no such range is known
   */
  RangeRoute find(byte[] key) {
    int low = 0;
    int high = routes.size() - 1;
    while (low <= high) { // the last one that starts at or before the key
      int middle = (low + high) >>> 1;
      if (Arrays.compareUnsigned(start(routes.get(middle)), key) <= 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    if (high < 0 || !routes.get(high).descriptor().interval().contains(key)) {
      throw new RangeException(
          RangeException.Kind.UNAVAILABLE,
          "no known range of store " + store + " holds key " + HexFormat.of().formatHex(key));
    }
    return routes.get(high);
  }

  /** A command and the range it goes to. */
  record RoutedCommand(RangeRoute route, PendingCommand command) {}

  /**
   * Routes a command: one command for each range that holds any of its keys.
   *
   * @throws RangeException if no known range holds one of them
   */
  List<RoutedCommand> route(PendingCommand command) {
    if (command instanceof PendingCommand.Single single) {
      return List.of(new RoutedCommand(find(single.key()), single));
    } else if (command instanceof PendingCommand.Part part) {
      return route(part.call(), part.positions());
    }
    throw new IllegalStateException("unexpected command: " + command);
  }

  /** Routes a grouped call: one command for each range that holds a key of these positions. */
  List<RoutedCommand> route(GroupedCall call, int[] positions) {
    RangeRoute[] found = new RangeRoute[positions.length];
    boolean sameRange = true;
    for (int i = 0; i < positions.length; i++) {
      found[i] = find(call.key(positions[i]));
      sameRange &= found[i] == found[0];
    }
    if (sameRange) {
      return List.of(new RoutedCommand(found[0], call.part(positions)));
    }
    Map<RangeRoute, int[]> counts = new LinkedHashMap<>();
    for (RangeRoute route : found) {
      counts.computeIfAbsent(route, first -> new int[1])[0]++;
    }
    List<RoutedCommand> commands = new ArrayList<>(counts.size());
    counts.forEach(
        (route, count) ->
            commands.add(
                new RoutedCommand(
                    route, call.part(positionsOf(route, found, positions, count[0])))));
    return commands;
  }

  private static int[] positionsOf(
      RangeRoute route, RangeRoute[] found, int[] positions, int count) {
    int[] members = new int[count];
    int next = 0;
    for (int i = 0; i < positions.length; i++) {
      if (found[i] == route) {
        members[next++] = positions[i];
      }
    }
    return members;
  }

  /** Returns the parts of an interval that known ranges hold, in key order. */
  List<KeyInterval> locate(KeyInterval interval) {
    List<KeyInterval> parts = new ArrayList<>();
    for (RangeRoute route : routes) {
      KeyInterval held = route.descriptor().interval();
      if (held.overlaps(interval)) {
        parts.add(intersection(held, interval));
      }
    }
    return parts;
  }

  private static KeyInterval intersection(KeyInterval one, KeyInterval other) {
    byte[] start =
        Arrays.compareUnsigned(one.start(), other.start()) > 0 ? one.start() : other.start();
    return new KeyInterval(start, earlierEnd(one.end(), other.end()));
  }

  private static byte @Nullable [] earlierEnd(byte @Nullable [] one, byte @Nullable [] other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return Arrays.compareUnsigned(one, other) < 0 ? one : other;
  }

  /**
   * Merges received descriptors into the known ones: the newest descriptor of each range wins, and
   * of overlapping ranges the one with the higher epoch version. If the result would leave keys
   * without a range, new intervals are ignored until descriptors for these keys arrive.
   *
   * @param postponed complete sets of descriptors received earlier and not yet in use
   * @param received received descriptors
   */
  List<RangeDescriptor> merge(List<RangeDescriptor> postponed, List<RangeDescriptor> received) {
    List<RangeDescriptor> all = new ArrayList<>(postponed);
    all.addAll(received);
    List<RangeDescriptor> merged = newest(all);
    if (covers(merged)) {
      return merged;
    }
    List<RangeDescriptor> moved = new ArrayList<>(postponed);
    received.stream().filter(this::isKnownInterval).forEach(moved::add);
    return newest(moved);
  }

  private boolean isKnownInterval(RangeDescriptor received) {
    return routes.stream()
        .map(RangeRoute::descriptor)
        .anyMatch(
            known ->
                known.id().equals(received.id())
                    && known.epoch().version() == received.epoch().version()
                    && known.interval().equals(received.interval()));
  }

  /** Returns whether these ranges cover every key that has a range in this table. */
  private boolean covers(List<RangeDescriptor> ranges) {
    List<KeyInterval> held =
        ranges.stream()
            .map(RangeDescriptor::interval)
            .sorted((a, b) -> Arrays.compareUnsigned(a.start(), b.start()))
            .toList();
    return routes.stream().allMatch(route -> covers(held, route.descriptor().interval()));
  }

  private static boolean covers(List<KeyInterval> sorted, KeyInterval wanted) {
    byte[] reached = wanted.start();
    for (KeyInterval interval : sorted) {
      if (interval.contains(reached)) {
        byte[] end = interval.end();
        if (end == null
            || (wanted.end() != null && Arrays.compareUnsigned(end, wanted.end()) >= 0)) {
          return true;
        }
        reached = end;
      }
    }
    return false;
  }

  /**
   * Combines two descriptors of a range: the interval with the higher version, and the replicas
   * with the higher replica version. A replica always knows its current interval, but of its group
   * only the members at its creation or last split.
   */
  private static RangeDescriptor combine(RangeDescriptor known, RangeDescriptor received) {
    boolean newInterval = received.epoch().version() > known.epoch().version();
    boolean moved =
        received.epoch().replicas() > known.epoch().replicas()
            || (newInterval && received.epoch().replicas() == known.epoch().replicas());
    if (newInterval == moved) {
      return moved ? received : known;
    }
    RangeDescriptor keys = newInterval ? received : known;
    RangeDescriptor members = moved ? received : known;
    return new RangeDescriptor(
        known.id(),
        keys.interval(),
        new RangeEpoch(keys.epoch().version(), members.epoch().replicas()),
        members.replicas());
  }

  private List<RangeDescriptor> newest(List<RangeDescriptor> received) {
    Map<RangeId, RangeDescriptor> newest = new HashMap<>();
    routes.forEach(route -> newest.put(route.descriptor().id(), route.descriptor()));
    received.forEach(range -> newest.merge(range.id(), range, RangeRouteTable::combine));
    List<RangeDescriptor> latestFirst = new ArrayList<>(newest.values());
    latestFirst.sort(
        Comparator.comparingLong((RangeDescriptor range) -> range.epoch().version())
            .reversed()
            .thenComparingLong(range -> range.id().number()));
    List<RangeDescriptor> kept = new ArrayList<>();
    for (RangeDescriptor candidate : latestFirst) {
      if (kept.stream().noneMatch(range -> range.interval().overlaps(candidate.interval()))) {
        kept.add(candidate);
      }
    }
    return kept;
  }
}
