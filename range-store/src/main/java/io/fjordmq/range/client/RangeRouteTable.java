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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which range holds which keys, as far as this client knows. Immutable. */
final class RangeRouteTable {
  private final String store;

  /** Disjoint, in key order; may leave gaps. */
  private final List<RangeRoute> routes;

  RangeRouteTable(String store, List<RangeRoute> routes) {
    this.store = store;
    List<RangeRoute> sorted = new ArrayList<>(routes);
    sorted.sort((a, b) -> Arrays.compareUnsigned(start(a), start(b)));
    this.routes = List.copyOf(sorted);
  }

  private static byte[] start(RangeRoute rangeRoute) {
    return rangeRoute.descriptor().interval().start();
  }

  List<RangeRoute> routes() {
    return routes;
  }

  /**
   * The range that holds the key.
   *
   * @throws RangeException if none is known
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
          "no range of store " + store + " is known to hold key " + HexFormat.of().formatHex(key));
    }
    return routes.get(high);
  }

  /** The parts of an interval that ranges hold, in key order. */
  List<KeyInterval> locate(KeyInterval interval) {
    List<KeyInterval> parts = new ArrayList<>();
    for (RangeRoute rangeRoute : routes) {
      KeyInterval held = rangeRoute.descriptor().interval();
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
   * the one that was reshaped later. A shape that would leave keys without a range is not taken in
   * before the rest of it is known.
   *
   * @param postponed whole shapes that were heard of earlier
   */
  List<RangeDescriptor> merge(List<RangeDescriptor> postponed, List<RangeDescriptor> news) {
    List<RangeDescriptor> all = new ArrayList<>(postponed);
    all.addAll(news);
    List<RangeDescriptor> merged = newest(all);
    if (covers(merged)) {
      return merged;
    }
    List<RangeDescriptor> moved = new ArrayList<>(postponed);
    news.stream().filter(this::isKnownShape).forEach(moved::add);
    return newest(moved);
  }

  private boolean isKnownShape(RangeDescriptor heard) {
    return routes.stream()
        .map(RangeRoute::descriptor)
        .anyMatch(
            known ->
                known.id().equals(heard.id())
                    && known.epoch().version() == heard.epoch().version()
                    && known.interval().equals(heard.interval()));
  }

  /** Whether every key that has a range in this table has one among these. */
  private boolean covers(List<RangeDescriptor> ranges) {
    List<KeyInterval> held =
        ranges.stream()
            .map(RangeDescriptor::interval)
            .sorted((a, b) -> Arrays.compareUnsigned(a.start(), b.start()))
            .toList();
    return routes.stream().allMatch(rangeRoute -> covers(held, rangeRoute.descriptor().interval()));
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
   * The keys of the one that was reshaped later, at the replicas of the one that was published
   * later: a replica knows its keys at once, but of its group only what it was when it was made or
   * split.
   */
  private static RangeDescriptor newer(RangeDescriptor known, RangeDescriptor heard) {
    boolean reshaped = heard.epoch().version() > known.epoch().version();
    boolean moved =
        heard.epoch().replicas() > known.epoch().replicas()
            || (reshaped && heard.epoch().replicas() == known.epoch().replicas());
    if (reshaped == moved) {
      return moved ? heard : known;
    }
    RangeDescriptor keys = reshaped ? heard : known;
    RangeDescriptor holders = moved ? heard : known;
    return new RangeDescriptor(
        known.id(),
        keys.interval(),
        new RangeEpoch(keys.epoch().version(), holders.epoch().replicas()),
        holders.replicas());
  }

  private List<RangeDescriptor> newest(List<RangeDescriptor> news) {
    Map<RangeId, RangeDescriptor> newest = new HashMap<>();
    routes.forEach(rangeRoute -> newest.put(rangeRoute.descriptor().id(), rangeRoute.descriptor()));
    news.forEach(heard -> newest.merge(heard.id(), heard, RangeRouteTable::newer));
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
