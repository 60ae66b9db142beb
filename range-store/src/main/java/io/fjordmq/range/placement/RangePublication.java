package io.fjordmq.range.placement;

import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Derives the current ranges of one store from reports of splits and merges: the reported ranges
 * are combined until they cover the same keys as the published ones, and are then published in one
 * write. Clients do not wait for that: replicas respond to stale requests with the new ranges.
 */
final class RangePublication {
  /*
   * Every split, merge or raised epoch gives a range a higher version than all earlier ranges with
   * these keys. Therefore the highest reported version is right for each key. Nodes may keep
   * reporting a merged range, from replicas that are behind or stale.
   */
  private static final Comparator<KeyInterval> BY_KEY =
      (a, b) -> Arrays.compareUnsigned(a.start(), b.start());

  private final Map<RangeId, RangeDescriptor> published = new HashMap<>();

  /** The newest report of each range whose current state is not published yet. */
  private final List<ReplicaReport> unpublished;

  /** For each range, the report of its leader, which knows the members of the group. */
  private final Map<RangeId, ReplicaReport> leaders = new HashMap<>();

  RangePublication(PlacementView view, String store) {
    view.published()
        .forEach(
            (id, range) -> {
              if (id.store().equals(store)) {
                published.put(id, range);
              }
            });
    Map<RangeId, ReplicaReport> newest = new HashMap<>();
    for (RangeReports nodeReports : view.reports().values()) {
      for (ReplicaReport replica : nodeReports.replicas()) {
        if (replica.range().store().equals(store)) {
          newest.merge(replica.range(), replica, RangePublication::newer);
          if (replica.isLeading()) {
            leaders.merge(
                replica.range(), replica, (one, other) -> one.term() >= other.term() ? one : other);
          }
        }
      }
    }
    unpublished = newest.values().stream().filter(this::isNew).toList();
  }

  private boolean isNew(ReplicaReport replica) {
    RangeDescriptor known = published.get(replica.range());
    return known == null || replica.epoch().version() > known.epoch().version();
  }

  private static ReplicaReport newer(ReplicaReport one, ReplicaReport other) {
    return other.epoch().version() > one.epoch().version() ? other : one;
  }

  /**
   * Returns the ranges that now hold the keys of a range whose reported replica may be outdated;
   * empty if no node reports such ranges.
   */
  Set<RangeId> successors(RangeId range, KeyInterval keys, long version) {
    Set<RangeId> successors = new HashSet<>();
    for (RangeDescriptor other : published.values()) {
      if (isLater(other.id(), other.interval(), other.epoch(), range, keys, version)) {
        successors.add(other.id());
      }
    }
    for (ReplicaReport other : unpublished) {
      if (isLater(other.range(), other.keys(), other.epoch(), range, keys, version)) {
        successors.add(other.range());
      }
    }
    return successors;
  }

  private static boolean isLater(
      RangeId other,
      KeyInterval otherKeys,
      RangeEpoch epoch,
      RangeId range,
      KeyInterval keys,
      long version) {
    return !other.equals(range) && epoch.version() > version && otherKeys.overlaps(keys);
  }

  /**
   * Returns whether newer reported ranges hold keys of this published range, which may then no
   * longer exist.
   */
  boolean isSuperseded(RangeDescriptor range) {
    return unpublished.stream()
        .anyMatch(
            other ->
                isLater(
                    other.range(),
                    other.keys(),
                    other.epoch(),
                    range.id(),
                    range.interval(),
                    range.epoch().version()));
  }

  private boolean isOutdated(ReplicaReport replica) {
    return !successors(replica.range(), replica.keys(), replica.epoch().version()).isEmpty();
  }

  /**
   * Returns the step that publishes the current ranges; null while one of them is not reported, or
   * has no leader that reports its replicas.
   *
   * @param changed the published descriptor of a range that has changed or no longer exists
   */
  Step.@Nullable PublishRanges of(RangeDescriptor changed) {
    List<ReplicaReport> current =
        unpublished.stream().filter(replica -> !isOutdated(replica)).toList();
    Set<RangeDescriptor> before = new HashSet<>(Set.of(changed));
    Set<ReplicaReport> now = new HashSet<>();
    boolean grows = true;
    while (grows) { // until no overlapping range is missing
      grows =
          current.stream()
              .filter(replica -> touches(replica, before))
              .map(now::add)
              .reduce(false, Boolean::logicalOr);
      grows |=
          published.values().stream()
              .filter(range -> now.stream().anyMatch(one -> touches(one, Set.of(range))))
              .map(before::add)
              .reduce(false, Boolean::logicalOr);
    }
    List<KeyInterval> previousKeys =
        before.stream().map(RangeDescriptor::interval).sorted(BY_KEY).toList();
    List<RangeDescriptor> parts = new ArrayList<>();
    for (ReplicaReport replica : now) {
      ReplicaReport leader = leaders.get(replica.range());
      ReplicaSet replicas = leader == null ? null : leader.replicas();
      if (replicas == null) {
        return null;
      }
      parts.add(new RangeDescriptor(replica.range(), replica.keys(), replica.epoch(), replicas));
    }
    parts.sort((a, b) -> BY_KEY.compare(a.interval(), b.interval()));
    Set<RangeId> merged = before.stream().map(RangeDescriptor::id).collect(Collectors.toSet());
    parts.forEach(part -> merged.remove(part.id()));
    return coverSameKeys(previousKeys, parts.stream().map(RangeDescriptor::interval).toList())
        ? new Step.PublishRanges(changed.id(), List.copyOf(parts), Set.copyOf(merged))
        : null;
  }

  /** Returns whether the replica shares keys with one of the ranges, or belongs to one of them. */
  private static boolean touches(ReplicaReport replica, Collection<RangeDescriptor> ranges) {
    return ranges.stream()
        .anyMatch(
            range ->
                range.id().equals(replica.range()) || range.interval().overlaps(replica.keys()));
  }

  /** Returns whether both lists are free of gaps and cover the same keys; each is in key order. */
  private static boolean coverSameKeys(List<KeyInterval> previousKeys, List<KeyInterval> parts) {
    return !parts.isEmpty()
        && areContiguous(previousKeys)
        && areContiguous(parts)
        && Arrays.equals(previousKeys.get(0).start(), parts.get(0).start())
        && Arrays.equals(
            previousKeys.get(previousKeys.size() - 1).end(), parts.get(parts.size() - 1).end());
  }

  private static boolean areContiguous(List<KeyInterval> intervals) {
    for (int i = 1; i < intervals.size(); i++) {
      if (!Arrays.equals(intervals.get(i - 1).end(), intervals.get(i).start())) {
        return false;
      }
    }
    return true;
  }
}
