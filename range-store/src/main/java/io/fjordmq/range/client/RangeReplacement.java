package io.fjordmq.range.client;

import io.fjordmq.range.RangeDescriptor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Ranges and the ranges that replace them and hold the same keys: the result of one split or merge,
 * or of several of which only the result is known. Independent of other replacements found at the
 * same time.
 *
 * @param routes routes that are replaced
 * @param ranges ranges that replace them
 */
record RangeReplacement(List<RangeRoute> routes, List<RangeDescriptor> ranges) {

  /**
   * Returns the independent replacements. New ranges whose keys had no range form one replacement
   * without routes.
   */
  static List<RangeReplacement> between(RangeRouteTable table, List<RangeDescriptor> merged) {
    Set<RangeDescriptor> after = new HashSet<>(merged);
    Set<RangeDescriptor> before = new HashSet<>();
    List<RangeRoute> removed = new ArrayList<>();
    for (RangeRoute route : table.routes()) {
      before.add(route.descriptor());
      if (!after.contains(route.descriptor())) {
        removed.add(route);
      }
    }
    List<RangeDescriptor> added = new ArrayList<>(merged);
    added.removeIf(before::contains);
    List<RangeReplacement> changes = new ArrayList<>();
    while (!removed.isEmpty()) {
      changes.add(takeNext(removed, added));
    }
    if (!added.isEmpty()) {
      changes.add(new RangeReplacement(List.of(), List.copyOf(added)));
    }
    return changes;
  }

  private static RangeReplacement takeNext(List<RangeRoute> removed, List<RangeDescriptor> added) {
    List<RangeRoute> routes = new ArrayList<>();
    List<RangeDescriptor> ranges = new ArrayList<>();
    routes.add(removed.remove(0));
    boolean grown = true;
    while (grown) {
      grown =
          added.removeIf(
                  range ->
                      routes.stream().anyMatch(one -> overlap(one, range)) && ranges.add(range))
              | removed.removeIf(
                  route ->
                      ranges.stream().anyMatch(one -> overlap(route, one)) && routes.add(route));
    }
    return new RangeReplacement(routes, ranges);
  }

  private static boolean overlap(RangeRoute route, RangeDescriptor range) {
    return route.descriptor().interval().overlaps(range.interval());
  }

  /**
   * Returns whether a batch to a replaced range is in flight; its outcome must be known before the
   * replacement.
   */
  boolean isBlocked() {
    return routes.stream().anyMatch(route -> route.batcher().isBusy());
  }
}
