package io.fjordmq.range.client;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which range holds which keys, as far as this client knows. Immutable. */
final class RouteTable {
  private final String store;

  /** Disjoint, in key order; may leave gaps. */
  private final List<Route> routes;

  RouteTable(String store, List<Route> routes) {
    this.store = store;
    List<Route> sorted = new ArrayList<>(routes);
    sorted.sort((a, b) -> Arrays.compareUnsigned(start(a), start(b)));
    this.routes = List.copyOf(sorted);
  }

  private static byte[] start(Route route) {
    return route.descriptor().interval().start();
  }

  List<Route> routes() {
    return routes;
  }

  /**
   * The range that holds the key.
   *
   * @throws RangeException if none is known
   */
  Route find(byte[] key) {
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
          "no range of store " + store + " is known to hold key " + HexFormat.of().formatHex(key));
    }
    return routes.get(high);
  }

  /** The parts of an interval that ranges hold, in key order. */
  List<KeyInterval> locate(KeyInterval interval) {
    List<KeyInterval> parts = new ArrayList<>();
    for (Route route : routes) {
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
   * The descriptors after news has come in: of each range the newest, and where two ranges overlap
   * the one that was reshaped later.
   */
  List<RangeDescriptor> merge(List<RangeDescriptor> news) {
    Map<RangeId, RangeDescriptor> newest = new HashMap<>();
    routes.forEach(route -> newest.put(route.descriptor().id(), route.descriptor()));
    for (RangeDescriptor descriptor : news) {
      newest.merge(
          descriptor.id(),
          descriptor,
          (known, heard) -> heard.epoch().isNewerThan(known.epoch()) ? heard : known);
    }
    List<RangeDescriptor> byAge = new ArrayList<>(newest.values());
    byAge.sort(
        Comparator.comparingLong((RangeDescriptor range) -> range.epoch().version())
            .reversed()
            .thenComparingLong(range -> range.id().number()));
    List<RangeDescriptor> kept = new ArrayList<>();
    for (RangeDescriptor candidate : byAge) {
      if (kept.stream().noneMatch(range -> range.interval().overlaps(candidate.interval()))) {
        kept.add(candidate);
      }
    }
    return kept;
  }
}
