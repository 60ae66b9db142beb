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
record RangeReplacement(List<RangeRoute> routes, List<RangeDescriptor> ranges) {

  /** Each change on its own; ranges of keys that had none until now are a change without routes. */
  static List<RangeReplacement> between(RangeRouteTable table, List<RangeDescriptor> merged) {
    Set<RangeDescriptor> after = new HashSet<>(merged);
    Set<RangeDescriptor> before = new HashSet<>();
    List<RangeRoute> leaving = new ArrayList<>();
    for (RangeRoute rangeRoute : table.routes()) {
      before.add(rangeRoute.descriptor());
      if (!after.contains(rangeRoute.descriptor())) {
        leaving.add(rangeRoute);
      }
    }
    List<RangeDescriptor> coming = new ArrayList<>(merged);
    coming.removeIf(before::contains);
    List<RangeReplacement> changes = new ArrayList<>();
    while (!leaving.isEmpty()) {
      changes.add(take(leaving, coming));
    }
    if (!coming.isEmpty()) {
      changes.add(new RangeReplacement(List.of(), List.copyOf(coming)));
    }
    return changes;
  }

  private static RangeReplacement take(List<RangeRoute> leaving, List<RangeDescriptor> coming) {
    List<RangeRoute> routes = new ArrayList<>();
    List<RangeDescriptor> ranges = new ArrayList<>();
    routes.add(leaving.remove(0));
    boolean grown = true;
    while (grown) {
      grown =
          coming.removeIf(
                  range ->
                      routes.stream().anyMatch(one -> overlap(one, range)) && ranges.add(range))
              | leaving.removeIf(
                  rangeRoute ->
                      ranges.stream().anyMatch(one -> overlap(rangeRoute, one))
                          && routes.add(rangeRoute));
    }
    return new RangeReplacement(routes, ranges);
  }

  private static boolean overlap(RangeRoute rangeRoute, RangeDescriptor range) {
    return rangeRoute.descriptor().interval().overlaps(range.interval());
  }

  /** Whether a batch is in the air; what became of it must be known before the change. */
  boolean isBlocked() {
    return routes.stream().anyMatch(rangeRoute -> rangeRoute.batcher().isBusy());
  }
}
