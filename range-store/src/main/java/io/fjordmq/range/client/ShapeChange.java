package io.fjordmq.range.client;

import io.fjordmq.range.RangeDescriptor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Ranges that give way to others with the same keys: by one split or merge, or by several if only
 * their sum is known. Independent of the other changes that become known at the same time.
 *
 * @param routes that give way
 * @param ranges that take their place
 */
record ShapeChange(List<Route> routes, List<RangeDescriptor> ranges) {

  /** Each change on its own; ranges of keys that had none until now are a change without routes. */
  static List<ShapeChange> between(RouteTable table, List<RangeDescriptor> merged) {
    Set<RangeDescriptor> after = new HashSet<>(merged);
    Set<RangeDescriptor> before = new HashSet<>();
    List<Route> leaving = new ArrayList<>();
    for (Route route : table.routes()) {
      before.add(route.descriptor());
      if (!after.contains(route.descriptor())) {
        leaving.add(route);
      }
    }
    List<RangeDescriptor> coming = new ArrayList<>(merged);
    coming.removeIf(before::contains);
    List<ShapeChange> changes = new ArrayList<>();
    while (!leaving.isEmpty()) {
      changes.add(take(leaving, coming));
    }
    if (!coming.isEmpty()) {
      changes.add(new ShapeChange(List.of(), List.copyOf(coming)));
    }
    return changes;
  }

  private static ShapeChange take(List<Route> leaving, List<RangeDescriptor> coming) {
    List<Route> routes = new ArrayList<>();
    List<RangeDescriptor> ranges = new ArrayList<>();
    routes.add(leaving.remove(0));
    boolean grown = true;
    while (grown) {
      grown =
          coming.removeIf(
                  range ->
                      routes.stream().anyMatch(one -> overlap(one, range)) && ranges.add(range))
              | leaving.removeIf(
                  route ->
                      ranges.stream().anyMatch(one -> overlap(route, one)) && routes.add(route));
    }
    return new ShapeChange(routes, ranges);
  }

  private static boolean overlap(Route route, RangeDescriptor range) {
    return route.descriptor().interval().overlaps(range.interval());
  }

  /** Whether a batch is in the air; what became of it must be known before the change. */
  boolean isBlocked() {
    return routes.stream().anyMatch(route -> route.batcher().isBusy());
  }
}
